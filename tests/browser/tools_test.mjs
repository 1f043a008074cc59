// What pages offer to look closer and to take along: the time line, figures, downloads, the diagram, settings that differ, the camera.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { begin_and_end, browser, dir, ergon, layout_trouble, open, source } from "./support.mjs";

begin_and_end();

const oscillator = join(source, "benchmarks/lim-oscillator/f-s.toml");
function run(name, scenario, ...more) {
  ergon("run", scenario, "--quiet", "--report", "--out", dir.at(name), ...more);
  return { out: dir.at(name), page: join(dir.at(name), "report.html") };
}
/** What a button saves. */
async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}
/** A row of masses in `count` subsystems, as a folder without results of many rows. */
function row_of(name, count) {
  const scenario = dir.at(`${name}.toml`);
  writeFileSync(
    scenario,
    `simulation = { stop_time = 0.01, step_size = 1e-3 }
output = { variables = ["m1.*", "k1.*"], bonds = ["k1.i"] }
subsystem = [ { count = ${count}, name = "m{i}", model = "oscillator.mass", parameters = { force_ports = 2 }, initial = { x = 0.1 } } ]
element = [ { count = ${count - 1}, name = "k{i}", law = "spring-damper", ends = ["m{i}:force2", "m{i + 1}:force1"], parameters = { k = 5.0 } } ]
`,
  );
  return run(name, scenario, "--check", "off").page;
}

describe("the time line", () => {
  it("is one of all plots", async () => {
    const { page: file } = run("cursor", oscillator);
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector("#energy canvas");
    const over = page.locator("#plots .u-over").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
    const times = await page.evaluate(() => window.ergon_plots.map((plot) => plot.cursor_time()));
    assert.ok(times.length > 1 && times.every((time) => Math.abs(time - 2.5) < 0.05), times.join());
    const read = await page.$$eval("#energy .legend .when", (items) => items.map((item) => item.textContent));
    assert.ok(read.length > 2 && read.every((text) => /^at 2\.[45]/.test(text)), read.join("; "));
    await page.mouse.move(box.x + 0.25 * box.width, box.y - 60);
    assert.ok((await page.evaluate(() => window.ergon_plots.map((plot) => plot.cursor_time()))).every((time) => time === null));
    assert.deepEqual(trouble, []);
    await close();
  });

  it("moves the animation, and is moved by it", async () => {
    const { page: file } = run("moved", join(source, "examples/stack.toml"), "--stop-time", "1");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector(".animation canvas");
    await page.$eval(".animation input[type=range]", (slider) => {
      slider.value = "0.5";
      slider.dispatchEvent(new Event("input"));
    });
    assert.equal(await page.evaluate(() => window.ergon_plots[0].cursor_time()), 0.5);
    const over = page.locator("#plots .u-over").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + 40);
    assert.match(await page.textContent(".animation .time"), /^0\.7[45]/);
    assert.deepEqual(trouble, []);
    await close();
  });
});

describe("a plot", () => {
  it("says what its axes are, and the figures of what is in view", async () => {
    const { out, page: file } = run("figures", oscillator);
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector("#plots canvas");
    const labels = await page.evaluate(() => window.ergon_plots[0].plot.axes.map((axis) => axis.label));
    assert.deepEqual(labels, ["time [s]", "position [m]"]);
    const figures = page.locator("#plots .plot-figures").first();
    await figures.locator("summary").click();
    await figures.locator("tbody tr").first().waitFor();
    const row = (await figures.locator("tbody tr").first().locator("td").allTextContents()).map((text) => text.replaceAll("\u202f", "").replace("−", "-"));
    assert.equal(row[0], "left.position [m]");
    const values = readFileSync(join(out, "results.csv"), "utf8").trim().split("\n").slice(1).map((line) => Number(line.split(",")[1]));
    const expected = [Math.min(...values), Math.max(...values), Math.sqrt(values.reduce((sum, v) => sum + v * v, 0) / values.length)];
    expected.forEach((value, i) => assert.ok(Math.abs(Number(row[i + 2]) - value) < 1e-4 * Math.abs(value), `${row} ${expected}`));
    assert.deepEqual(trouble, []);
    await close();
  });

  it("is not begun with where nothing moves", async () => {
    const scenario = dir.at("still.toml");
    writeFileSync(
      scenario,
      `simulation = { stop_time = 1.0, step_size = 1e-2 }
subsystem = [
  { name = "swing", model = "oscillator.mass", parameters = { k = 10.0 }, initial = { x = 0.1 } },
  { name = "level", model = "source.constant", parameters = { value = 5.0, unit = "V" } },
]
`,
    );
    const { page, trouble, close } = await open(browser, run("still", scenario, "--check", "off").page);
    await page.waitForSelector("#plots canvas");
    const titles = await page.$$eval("#plots figcaption", (all) => all.map((c) => c.textContent));
    assert.ok(titles.includes("swing.position"), String(titles));
    assert.ok(!titles.some((title) => title.includes("level.value")), String(titles));
    assert.deepEqual(trouble, []);
    await close();
  });

  it("can be saved as CSV, SVG and PNG", async () => {
    const { out, page: file } = run("saved", oscillator, "--check", "off");
    ergon("report", out, "--exact");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector("#plots canvas");
    const button = (name) => page.locator("#plots .plot").first().getByRole("button", { name });
    const csv = await saved(page, () => button("Save what is in view as CSV").click());
    const lines = csv.content.toString().trim().split("\n");
    assert.equal(lines[0], "time,left.position [m],right.position [m]");
    const rows = readFileSync(join(out, "results.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
    assert.equal(lines.length, rows.length);
    assert.deepEqual(lines[5000].split(",").map(Number), [rows[5000][0], rows[5000][1], rows[5000][4]].map(Number));
    const svg = await saved(page, () => button("Save the picture as SVG").click());
    const text = svg.content.toString();
    assert.ok(svg.name.endsWith(".svg") && text.startsWith("<svg xmlns=") && text.includes("position [m]") && text.includes("time [s]"));
    assert.equal(await page.evaluate((t) => new DOMParser().parseFromString(t, "image/svg+xml").querySelectorAll("parsererror").length, text), 0);
    const png = await saved(page, () => button("Save the picture as PNG").click());
    assert.ok(png.name.endsWith(".png") && png.content.length > 5000);
    assert.equal(png.content.subarray(1, 4).toString(), "PNG");
    assert.deepEqual(trouble, []);
    await close();
  });

  it("shows what is chosen in the tree or found by its name", async () => {
    const { page: file } = run("chosen", oscillator, "--check", "off");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector("#plots canvas");
    const picker = page.locator("#plots .picker").first();
    await picker.locator("summary").first().click();
    await picker.locator(".tree > details").first().waitFor(); // it is filled when the browser has told that it is open
    assert.deepEqual(await picker.locator(".tree > details > summary").allTextContents(), ["left (3)", "right (2)"]);
    await picker.getByLabel("left.force").check();
    assert.match(await page.locator("#plots .legend").first().textContent(), /left\.force \[N\]/);
    await picker.locator("input[type=search]").fill("right.v");
    assert.deepEqual(await picker.locator(".choices label").allTextContents(), [" right.velocity [m/s]"]);
    assert.deepEqual(trouble, []);
    await close();
  });
});

describe("the diagram", () => {
  it("fits its box with 3, 40 and 1000 subsystems, folds groups and unfolds them", async () => {
    for (const count of [3, 40, 1000]) {
      const file = row_of(`row${count}`, count);
      for (const [width, dark] of [[1280, false], [390, true]]) {
        const { page, trouble, close } = await open(browser, file, { width, dark });
        await page.waitForSelector(".diagram svg");
        const [box, drawing] = await page.evaluate(() => [".diagram", ".diagram svg"].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()));
        assert.ok(drawing.right <= box.right + 1 && drawing.height <= 0.76 * 900, `${count} at ${width}`);
        // With its bonds a row of 40 has 79 parts.
        const names = await page.$$eval(".diagram .node-name", (texts) => texts.map((t) => t.textContent));
        assert.deepEqual(count === 3 ? names.length : names.sort(), count === 3 ? 5 : ["k…", "m…"]);
        assert.deepEqual(await layout_trouble(page), [], `${count} at ${width}`);
        assert.deepEqual(trouble, []);
        if (count === 40 && width === 1280) {
          await page.locator(".diagram .group", { hasText: "m…" }).press("Enter");
          assert.equal((await page.$$(".diagram .node")).length, 41);
          await page.getByRole("button", { name: "Fold all groups" }).click();
          assert.equal((await page.$$(".diagram .node")).length, 2);
        }
        await close();
      }
    }
  });

  it("is arranged so that it can be read, in rows or downwards as the window has room", async () => {
    // Of 13 pixels, the size of the letters: a row of 39 parts was 1 pixel high on a phone before it was broken into rows.
    for (const [count, width, least] of [[3, 1280, 13], [3, 390, 13], [20, 1280, 10], [20, 390, 7]]) {
      const { page, trouble, close } = await open(browser, row_of(`read${count}`, count), { width });
      await page.waitForSelector(".diagram svg");
      const heights = await page.$$eval(".diagram .node-name", (texts) => texts.map((t) => t.getBoundingClientRect().height));
      assert.equal(heights.length, 2 * count - 1);
      assert.ok(Math.min(...heights) >= least, `${count} at ${width}: ${Math.min(...heights)}`);
      // No box stands on another.
      const boxes = await page.$$eval(".diagram .node rect", (all) => all.map((r) => r.getBoundingClientRect().toJSON()));
      for (const [i, a] of boxes.entries())
        for (const b of boxes.slice(i + 1)) assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
      assert.deepEqual(await layout_trouble(page), []);
      if (count === 3 && width === 1280) {
        // A window that gets narrow gets the other arrangement.
        await page.setViewportSize({ width: 390, height: 900 });
        await page.waitForFunction(() => {
          const [first, second] = [...document.querySelectorAll(".diagram .node rect")].map((r) => r.getBoundingClientRect());
          return first && second && Math.abs(first.left + first.right - second.left - second.right) < 40 && first.width > 70;
        });
      }
      assert.deepEqual(trouble, []);
      await close();
    }
  });

  it("is moved and magnified by keys, by dragging, and fits again", async () => {
    const { page: file } = run("keys", oscillator, "--check", "off");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector(".diagram svg");
    const view = async () => (await page.getAttribute(".diagram svg", "viewBox")).split(" ").map(Number);
    const whole = await view();
    await page.focus(".diagram");
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    const near = await view();
    assert.ok(Math.abs(near[2] - whole[2] / 1.5625) < 1e-6);
    await page.keyboard.press("ArrowRight");
    const right = await view();
    assert.ok(right[0] > near[0]);
    const box = await page.locator(".diagram svg").boundingBox();
    await page.mouse.move(box.x + 20, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 5, { steps: 3 });
    await page.mouse.up();
    assert.ok((await view())[0] < right[0]);
    await page.getByRole("button", { name: "Fit the diagram" }).click();
    assert.deepEqual(await view(), whole);
    assert.deepEqual(trouble, []);
    await close();
  });
});

describe("a comparison", () => {
  it("begins with the settings that differ, and with energies from their start", async () => {
    const one = run("one", oscillator, "--check", "off", "--set", "right.m=2").out;
    const two = run("two", oscillator, "--check", "off", "--step-size", "5e-4").out;
    ergon("compare", one, two, "--out", dir.at("compare.html"));
    const { page, trouble, close } = await open(browser, dir.at("compare.html"));
    assert.equal(await page.$eval("main section", (section) => section.id), "differences");
    const rows = await page.$$eval("#differences tbody tr", (trs) => trs.map((tr) => [...tr.children].map((td) => td.textContent)));
    const found = Object.fromEntries(rows.map(([key, ...values]) => [key, values.map(Number)]));
    assert.deepEqual(found["simulation.step_size"], [0.001, 0.0005], JSON.stringify(rows));
    assert.deepEqual(found["subsystem right.parameters.m"], [2, 1], JSON.stringify(rows));
    assert.ok(rows.every(([key]) => key.endsWith("step_size") || key === "subsystem right.parameters.m"), JSON.stringify(rows));
    await page.waitForSelector("#energy canvas");
    assert.match(await page.textContent("#energy figcaption"), /deviation from its start/);
    assert.deepEqual(trouble, []);
    await close();
  });
});

describe("the camera", () => {
  it("follows a body, and saves pictures and videos", async () => {
    const { page: file } = run("camera", join(source, "examples/stack.toml"), "--stop-time", "2");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector(".animation canvas");
    const seek = (time) =>
      page.$eval(
        ".animation input[type=range]",
        (slider, t) => {
          slider.value = t;
          slider.dispatchEvent(new Event("input"));
        },
        time,
      );
    const camera = () => page.evaluate(() => window.ergon_animation.camera.position.toArray());
    const before = await camera();
    await seek("2");
    assert.deepEqual(await camera(), before, "it stays where nothing is followed");
    await seek("0");
    await page.selectOption('.animation select[aria-label="Follow"]', { index: 1 });
    await seek("2");
    assert.notDeepEqual(await camera(), before);
    const picture = await saved(page, () => page.getByRole("button", { name: "Save this picture as PNG" }).click());
    assert.equal(picture.content.subarray(1, 4).toString(), "PNG");
    await page.selectOption('.animation select[aria-label="Speed"]', "2");
    const video = await saved(page, () => page.getByRole("button", { name: "Video" }).click());
    assert.ok(video.name.endsWith(".webm") && video.content.length > 1000, `${video.name} ${video.content.length}`);
    assert.deepEqual(trouble, []);
    await close();
  });
});

// The report of a run, as a browser shows it.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { begin_and_end, browser, dir, drawn_pixels, ergon, layout_trouble, open, source } from "./support.mjs";

begin_and_end();

/** The demonstration's oscillator with a force that is a step late: unreliable, with a correction that is capped or none. */
function oscillator(name, ...settings) {
  const out = dir.at(name);
  ergon("run", join(source, "benchmarks/lim-oscillator/f-s.toml"), "--quiet", "--report", "--out", out, "--set", "bond.coupling.feedthrough=stale", ...settings.flatMap((s) => ["--set", s]));
  return { out, page: join(out, "report.html"), summary: JSON.parse(readFileSync(join(out, "summary.json"), "utf8")) };
}

describe("the report of a run", () => {
  it("opens from disk without a word of complaint, and says what summary.json says", async () => {
    const { page: file, summary } = oscillator("plain");
    const { page, trouble, close } = await open(browser, file);
    assert.equal(await page.textContent("#verdict-card .badge .word"), summary.verdict.value);
    const reasons = await page.$$eval("#verdict-card .reasons li", (items) => items.map((i) => i.textContent));
    assert.deepEqual(reasons, summary.verdict.reasons.map((r) => r.what));
    assert.ok((await page.$$("#verdict-card .tips li")).length > 0, "an unreliable result comes with something to try");
    const figures = Object.fromEntries(await page.$$eval("#verdict-card .figures > div", (items) => items.map((i) => [i.querySelector("dt").textContent, i.querySelector("dd").textContent])));
    const shown = (name) => Number(figures[name].replaceAll("\u202f", "").replace("−", "-").replace(/[^-0-9.].*$/, ""));
    for (const [name, value] of [["energy at the start", summary.energy.initial_stored_J], ["energy at the end", summary.energy.final_stored_J], ["largest drift", summary.energy.max_drift_J]])
      assert.ok(Math.abs(shown(name) - value) <= 1e-5 * Math.abs(value), `${name}: ${figures[name]} for ${value}`);
    assert.equal(shown("communication points"), summary.points);
    assert.deepEqual(trouble, []);
    await close();
  });

  it("follows the size of its window without a loop of observers", async () => {
    const { page: file } = oscillator("sizes");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector("#energy .plots canvas");
    for (const width of [1280, 700, 1000, 400, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(100);
      assert.deepEqual(await layout_trouble(page), [], `${width} px`);
    }
    assert.deepEqual(trouble, []);
    await close();
  });

  it("shows what can be shown of files that were edited by hand", async () => {
    const { out, page: file, summary } = oscillator("edited");
    const damages = [
      ["summary.json", { verdict: { value: "unreliable", reasons: 7 } }],
      ["summary.json", { verdict: "fine" }],
      ["summary.json", { bonds: { coupling: null }, subsystems: { left: null }, energy: "much" }],
      ["summary.json", { warnings: "all is well", notes: 1, motion: [], last_step_clamped: "yes" }],
      ["system.json", { nodes: "left and right", bonds: 5, variable_steps: "no" }],
      ["system.json", { nodes: [null, 3], connections: {}, scene: 7 }],
    ];
    for (const [name, damage] of damages) {
      const original = readFileSync(join(out, name), "utf8");
      writeFileSync(join(out, name), JSON.stringify({ ...JSON.parse(original), ...damage }));
      ergon("report", out);
      writeFileSync(join(out, name), original);
      const { page, trouble, close } = await open(browser, file);
      await page.waitForSelector("#plots canvas");
      assert.ok((await page.$$("main section")).length >= 6, JSON.stringify(damage));
      assert.deepEqual(trouble, [], JSON.stringify(damage));
      await close();
    }
    assert.equal(summary.status, "finished");
  });

  it("draws curves, with names and units at the axes and in the legend", async () => {
    const { page: file } = oscillator("plots");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector("#plots canvas");
    const pixels = await drawn_pixels(page, "#plots canvas");
    assert.ok(pixels.drawn > 2000 && pixels.colours > 5, JSON.stringify(pixels));
    const legend = await page.textContent("#plots .legend");
    assert.match(legend, /left\.position \[m\]/);
    await page.waitForSelector("#energy .plots canvas");
    assert.ok((await page.$$("#energy canvas")).length >= 4);
    assert.deepEqual(trouble, []);
    await close();
  });

  it("zooms by mouse and by keys, down to the very samples, and back", async () => {
    const { page: file } = oscillator("zoom");
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector("#plots canvas");
    const view = () => page.evaluate(() => window.ergon_plots[0].view());
    const whole = await view();
    assert.equal(whole.from, 0);
    assert.equal(whole.to, 10);
    assert.equal(whole.exact, false, "10001 rows are more than there are pixels");
    const over = page.locator("#plots .u-over").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 5 });
    await page.mouse.up();
    const zoomed = await view();
    assert.ok(Math.abs(zoomed.from - 4) < 0.05 && Math.abs(zoomed.to - 5) < 0.05, JSON.stringify(zoomed));
    assert.equal(zoomed.exact, true);
    const canvas = page.locator("#plots .plot-canvas").first();
    await canvas.focus();
    await page.keyboard.press("+");
    const nearer = await view();
    assert.ok(nearer.to - nearer.from < 0.51 * (zoomed.to - zoomed.from));
    await page.keyboard.press("ArrowRight");
    assert.ok((await view()).from > nearer.from);
    await page.keyboard.press("0");
    assert.deepEqual(await view(), whole);
    assert.deepEqual(trouble, []);
    await close();
  });

  it("stays within its window, and no text covers another, on a screen and on a phone, light and dark", async () => {
    const { page: file } = oscillator("layout", 'bond.coupling.correction={method="residual-power"}');
    for (const width of [1280, 390]) {
      for (const dark of [false, true]) {
        const { page, trouble, close } = await open(browser, file, { width, dark });
        await page.waitForSelector("#energy canvas");
        assert.deepEqual(await layout_trouble(page), [], `at ${width} px`);
        assert.deepEqual(trouble, []);
        await close();
      }
    }
  });

  it("changes its colours when asked, and its plots with it", async () => {
    const { page: file } = oscillator("theme");
    const { page, close } = await open(browser, file);
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before_toggle = await background();
    await page.click("button.theme");
    assert.notEqual(await background(), before_toggle);
    await page.waitForSelector("#plots canvas");
    await close();
  });

  it("is small beside its data", () => {
    const { out, page } = oscillator("size");
    const data = readFileSync(page, "utf8").match(/<script type="text\/plain"[^]*?<\/script>/g).join("").length;
    assert.ok(statSync(page).size - data < 1e6);
    assert.ok(statSync(page).size < statSync(join(out, "results.csv")).size + statSync(join(out, "bonds.csv")).size);
  });
});

describe("texts of files", () => {
  it("are shown and never run", async () => {
    const evil = "<script>alert(1)</script>";
    const worse = "</script><img src=x onerror=alert(2)>";
    const folder = dir.at("evil");
    mkdirSync(folder);
    writeFileSync(join(folder, "results.csv"), `time,"${evil}.x","${worse}.v"\n0,1,2\n1,2,3\n2,1,2\n`);
    writeFileSync(join(folder, "bonds.csv"), `time,"${worse}.interface_power","${worse}.interface_energy"\n0,0,0\n1,1,1\n2,0,1\n`);
    writeFileSync(join(folder, "scenario.toml"), `# ${worse}\n`);
    writeFileSync(
      join(folder, "system.json"),
      JSON.stringify({
        start_time_s: 0,
        stop_time_s: 2,
        nodes: [
          { name: evil, element: false, model: worse, step_s: 1 },
          { name: worse, element: false, step_s: 1 },
        ],
        bonds: [{ name: worse, effort_from: evil, flow_from: worse, effort: evil, flow: worse, effort_unit: evil, flow_unit: "m", components: 1 }],
        signals: [],
        variables: [{ name: `${evil}.x`, node: evil, unit: evil, description: worse }],
      }),
    );
    writeFileSync(
      join(folder, "summary.json"),
      JSON.stringify({
        ergon_version: evil,
        status: evil,
        verdict: { value: evil, reasons: [{ what: worse, kind: evil, says: evil, bond: worse }] },
        start_time_s: 0,
        stop_time_s: 2,
        reached_time_s: 2,
        points: 3,
        wall_time_s: 1,
        subsystems: { [evil]: { steps: 2, mean_step_s: 1 } },
        bonds: { [worse]: { exchanged_energy_J: 1, residual_energy_J: 1, interface_energy_J: 1, max_interface_power_W: 1 } },
        warnings: [evil, worse],
      }),
    );
    ergon("report", folder);
    const { page, trouble, close } = await open(browser, join(folder, "report.html"));
    await page.waitForSelector("#plots canvas");
    const text = await page.textContent("main");
    assert.ok(text.includes(evil) && text.includes(worse));
    assert.equal(await page.$$eval("main script, main img", (elements) => elements.length), 0);
    assert.deepEqual(trouble, []);
    await close();
  });
});

describe("a large result", () => {
  it("of five million samples opens within seconds", async () => {
    const folder = dir.at("large");
    mkdirSync(folder);
    const rows = 500_000;
    const columns = 10;
    const names = Array.from({ length: columns }, (_, c) => `mass${c}.position`);
    const lines = [`time,${names.join(",")}`];
    for (let i = 0; i < rows; ++i) {
      const t = i / 1000;
      let line = String(t);
      for (let c = 0; c < columns; ++c) line += `,${Math.sin(t * (1 + c) + c)}`;
      lines.push(line);
    }
    lines[250_001] = lines[250_001].replace(/,[^,]*/, ",5"); // one sample stands out
    writeFileSync(join(folder, "results.csv"), lines.join("\n") + "\n");
    ergon("report", folder);
    const begin = Date.now();
    const { page, trouble, close } = await open(browser, join(folder, "report.html"));
    await page.waitForSelector("#plots canvas");
    // How long it takes is told, not judged: machines differ.
    console.log(`opened after ${Date.now() - begin} ms, ${(statSync(join(folder, "report.html")).size / 1e6).toFixed(1)} MB`);
    const top = await page.evaluate(() => {
      const [plot] = window.ergon_plots;
      return { ...plot.view(), highest: plot.plot.scales[""].max };
    });
    assert.equal(top.exact, false);
    assert.ok(top.highest > 5, "what stands out is seen among all of them");
    assert.deepEqual(trouble, []);
    await close();
  });
});

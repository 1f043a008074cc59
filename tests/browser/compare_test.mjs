// Comparisons and the gallery, as a browser shows them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { begin_and_end, browser, dir, drawn_pixels, ergon, layout_trouble, open, source, try_ergon } from "./support.mjs";

begin_and_end();

describe("a comparison", () => {
  it("shows runs over each other, with the errors that the command prints", async () => {
    const scenario = join(source, "benchmarks/lim-oscillator/f-s.toml");
    for (const mode of ["stale", "refresh"]) ergon("run", scenario, "--quiet", "--out", dir.at(mode), "--set", `bond.coupling.feedthrough=${mode}`);
    const printed = ergon("compare", dir.at("stale"), dir.at("refresh"), "--out", dir.at("compare.html"));
    for (const width of [1280, 390]) {
      const { page, trouble, close } = await open(browser, dir.at("compare.html"), { width });
      await page.waitForSelector("#energy canvas");
      assert.ok((await drawn_pixels(page, "#energy canvas")).drawn > 500);
      assert.deepEqual(await page.$$eval("#runs .badge .word", (words) => words.map((w) => w.textContent)), ["unreliable", "reliable"]);
      const cells = await page.$$eval("#errors tbody tr:first-child td", (tds) => tds.map((td) => td.textContent));
      const line = printed.split("\n").find((l) => l.includes(`${cells[0]} `)).trim().split(/ +/);
      assert.ok(Math.abs(Number(cells[2]) - Number(line[1])) <= 1e-3 * Number(line[1]), `${cells} and ${line}`);
      assert.deepEqual(await layout_trouble(page), []);
      assert.deepEqual(trouble, []);
      await close();
    }
  });
});

describe("the gallery", () => {
  it("shows figures, whether they hold, and plots", async () => {
    const { status, output } = try_ergon("bench", "lim-oscillator", "--where", "arrangement=f-s", "--plain", "--report", dir.at("gallery.html"));
    assert.equal(status, 0, output);
    for (const [width, dark] of [[1280, false], [390, true]]) {
      const { page, trouble, close } = await open(browser, dir.at("gallery.html"), { width, dark });
      assert.match(await page.textContent("#lim-oscillator .badge"), /1 claim: 1 as published, 0 not/);
      assert.match(await page.textContent("#lim-oscillator .regressions"), /\d+ guarded values met/);
      assert.match(await page.textContent("#papers"), /All claims hold as published/);
      assert.ok((await page.$$("#lim-oscillator .chart circle, #lim-oscillator .chart rect")).length > 2);
      const labels = await page.$$eval("#lim-oscillator .chart .label", (texts) => texts.map((t) => t.textContent));
      assert.ok(labels.length >= 2 && labels.every((text) => text !== ""));
      assert.ok(labels.includes("H1 in s") && labels.includes("max energy error in J"), labels.join("; "));
      // Of many curves some are drawn; the others can be chosen.
      const plot = page.locator("#lim-oscillator figure", { has: page.locator(".chart-curves") }).first();
      const lines = await plot.locator("polyline").count();
      await plot.locator("summary").click();
      await plot.locator("input:not(:checked)").first().check();
      assert.equal(await plot.locator("polyline").count(), lines + 1);
      assert.equal(await plot.locator(".legend li").count(), lines + 1);
      assert.deepEqual(await layout_trouble(page), []);
      assert.deepEqual(trouble, []);
      await close();
    }
  });
});

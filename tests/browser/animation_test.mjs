// The moving picture of a machine, as a browser shows it.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { begin_and_end, browser, dir, drawn_pixels, ergon, layout_trouble, open, source } from "./support.mjs";

begin_and_end();

function report_of(example, ...more) {
  const out = dir.at(example);
  ergon("run", join(source, `examples/${example}.toml`), "--quiet", "--report", "--out", out, ...more);
  return join(out, "report.html");
}

describe("the animation", () => {
  it("shows a machine, moves it by slider and by itself, and stays quiet", async () => {
    const file = report_of("stack", "--stop-time", "3");
    assert.ok(statSync(file).size < 5e6);
    const { page, trouble, close } = await open(browser, file);
    await page.waitForSelector(".animation canvas");
    const pixels = await drawn_pixels(page, ".animation canvas");
    assert.ok(pixels.colours > 50, JSON.stringify(pixels));
    const picture = () => page.$eval(".animation canvas", (canvas) => canvas.toDataURL());
    const at_start = await picture();
    await page.$eval(".animation input[type=range]", (slider) => {
      slider.value = "2.9";
      slider.dispatchEvent(new Event("input"));
    });
    assert.match(await page.textContent(".animation .time"), /^2\.9/);
    assert.notEqual(await picture(), at_start, "the stack has been pushed over");
    await page.selectOption('.animation select[aria-label="View"]', "Side");
    await page.$eval(".animation input[type=range]", (slider) => {
      slider.value = "0";
      slider.dispatchEvent(new Event("input"));
    });
    await page.click(".animation button");
    await page.waitForFunction(() => Number.parseFloat(document.querySelector(".animation .time").textContent) > 0);
    await page.click(".animation button");
    assert.deepEqual(trouble, []);
    await close();
  });

  it("has the forces of contacts, and hides them when asked", async () => {
    const { page, trouble, close } = await open(browser, report_of("stack", "--stop-time", "0.5"));
    await page.waitForSelector(".animation canvas");
    await page.$eval(".animation input[type=range]", (slider) => {
      slider.value = "0.4";
      slider.dispatchEvent(new Event("input"));
    });
    const picture = () => page.$eval(".animation canvas", (canvas) => canvas.toDataURL());
    const with_forces = await picture();
    await page.uncheck(".animation input[type=checkbox]");
    assert.notEqual(await picture(), with_forces);
    assert.deepEqual(trouble, []);
    await close();
  });

  it("shows cables and links, and fits a phone", async () => {
    for (const [example, ...more] of [["cable-and-mass", "--stop-time", "0.2"], ["double-pendulum"]]) {
      const { page, trouble, close } = await open(browser, report_of(example, ...more), { width: 390, dark: true });
      await page.waitForSelector(".animation canvas");
      assert.ok((await drawn_pixels(page, ".animation canvas")).colours > 20, example);
      assert.deepEqual(await layout_trouble(page), []);
      assert.deepEqual(trouble, []);
      await close();
    }
  });
});

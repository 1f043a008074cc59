// Pages of sweeps and convergence studies: what they show, filters, the chosen run, and that thousands of runs are drawn.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { begin_and_end, browser, dir, drawn_pixels, ergon, layout_trouble, open, source } from "./support.mjs";

begin_and_end();

const scenario = join(source, "benchmarks/lim-oscillator/f-s.toml");
const drawn = (page) => page.waitForFunction(() => document.documentElement.dataset.drawn === "yes");

function sweep(name, ...options) {
  ergon("sweep", scenario, "-q", "--out", dir.at(name), "--end-time", "0.05", "--measure", "peak=max(right.position)", ...options);
  return dir.at(join(name, "report.html"));
}

test("a sweep shows its runs, and one of them on a click", async () => {
  const file = sweep("ten", "--vary", "right.m=log(0.1,10,5)", "--vary", "simulation.step_size=1e-3,1e-2", "--bands", "right.position");
  for (const shape of [{}, { dark: true }, { width: 400, height: 800 }]) {
    const { page, trouble, close } = await open(browser, file, shape);
    await drawn(page);
    await page.waitForTimeout(300);
    assert.deepEqual(trouble, []);
    assert.deepEqual(await layout_trouble(page), []);
    assert.ok((await drawn_pixels(page, ".study-canvas.pick")).drawn > 500);
    await close();
  }
  const { page, close } = await open(browser, file);
  await drawn(page);
  await page.waitForTimeout(300);
  // Wherever a mark is: the canvas is tried in a grid until one answers.
  const box = await page.locator(".study-canvas.pick").boundingBox();
  for (let x = 20; x < box.width && (await page.locator(".chosen-run").isHidden()); x += 30) {
    for (let y = 20; y < box.height && (await page.locator(".chosen-run").isHidden()); y += 30)
      await page.locator(".study-canvas.pick").click({ position: { x, y } });
  }
  const text = await page.locator(".chosen-run").innerText();
  assert.match(text, /Run \d+: finished/);
  assert.match(text, /ergon run .*--set right\.m=/);
  await close();
});

test("runs are filtered by their verdict", async () => {
  const { page, close } = await open(browser, dir.at("ten/report.html"));
  await drawn(page);
  await page.waitForTimeout(300);
  const before = (await drawn_pixels(page, ".study-canvas.pick")).drawn;
  const boxes = page.locator(".filter input");
  assert.ok((await boxes.count()) >= 2);
  for (let i = 0; i < (await boxes.count()); ++i) await boxes.nth(i).uncheck();
  await page.waitForTimeout(100);
  assert.ok((await drawn_pixels(page, ".study-canvas.pick")).drawn < before);
  await close();
});

test("two thousand runs are drawn, and failures are listed", async () => {
  const file = sweep("many", "--check", "off", "--plan", "lhs", "--samples", "2000", "--vary", "right.m=uniform(-0.05,2)", "--vary", "left.k=uniform(5,20)");
  const { page, trouble, close } = await open(browser, file);
  await drawn(page);
  await page.waitForTimeout(500);
  assert.deepEqual(trouble, []);
  assert.ok((await drawn_pixels(page, ".study-canvas.pick")).drawn > 2000);
  assert.match(await page.locator("#failures").innerText(), /refused/);
  await close();
});

test("Sobol indices have bars with intervals", async () => {
  const file = sweep("indices", "--check", "off", "--plan", "saltelli", "--samples", "64", "--measure", "low=min(right.position)", "--vary", "right.m=uniform(0.5,2)", "--vary", "left.k=uniform(5,20)");
  const { page, trouble, close } = await open(browser, file);
  await drawn(page);
  assert.deepEqual(trouble, []);
  assert.equal(await page.locator("#indices rect").count(), 4); // of one measure: the other one does not vary
  await close();
});

test("a convergence study shows errors over steps", async () => {
  ergon("converge", scenario, "-q", "--end-time", "0.2", "--out", dir.at("converge"));
  for (const shape of [{}, { dark: true }, { width: 400, height: 800 }]) {
    const { page, trouble, close } = await open(browser, dir.at("converge/report.html"), shape);
    assert.deepEqual(trouble, []);
    assert.deepEqual(await layout_trouble(page), []);
    assert.equal(await page.locator("#errors polyline").count(), 5);
    assert.match(await page.locator("#steps").innerText(), /0\.1 %/);
    await close();
  }
});

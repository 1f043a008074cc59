// Makes the pictures of README.md and docs/report.md: `make pictures`. Pages of real runs, in a browser.
import { mkdirSync, existsSync } from "node:fs";
import { join } from "node:path";
import { ergon, open, scratch, source, start_browser } from "../tests/browser/support.mjs";

const images = join(source, "docs/images");
mkdirSync(images, { recursive: true });
const dir = scratch();
const browser = await start_browser();

async function page_of(file, options, take) {
  const { page, trouble, close } = await open(browser, file, options);
  await page.waitForSelector("canvas");
  await page.waitForTimeout(500);
  await take(page);
  await close();
  if (trouble.length > 0) throw new Error(`${file}: ${trouble.join("; ")}`);
}

/** A run of a scenario, and its report. */
function report_of(scenario, name, ...more) {
  ergon("run", join(source, scenario), "--quiet", "--report", "--out", dir.at(name), ...more);
  return join(dir.at(name), "report.html");
}

// The machine on top of the README: the log-handling crane, where its scenario is there, else the excavator.
const crane = "benchmarks/log-crane/crane.toml";
const machine = existsSync(join(source, crane)) ? { scenario: crane, share: 0.55 } : { scenario: "examples/excavator.toml", share: 0.62 };
const machine_report = report_of(machine.scenario, "machine");
await page_of(machine_report, { width: 1200, height: 900 }, async (page) => {
  await page.waitForFunction(() => window.ergon_animation);
  await page.evaluate((share) => {
    const slider = document.querySelector(".animation input[type=range]");
    window.ergon_animation.seek(Number(slider.min) + share * (Number(slider.max) - Number(slider.min)));
  }, machine.share);
  await page.locator(".animation canvas").screenshot({ path: join(images, "machine.png") });
});
await page_of(machine_report, { width: 1280, height: 1000 }, (page) => page.screenshot({ path: join(images, "report.png") }));

// The demonstration: four ways to couple two masses.
const runs = [
  ["plain", "stale", "none"],
  ["residual-power", "stale", "residual-power"],
  ["energy-leak", "stale", "energy-leak"],
  ["refresh", "refresh", "none"],
];
for (const [name, mode, method] of runs)
  ergon("run", join(source, "benchmarks/lim-oscillator/f-s.toml"), "--quiet", "--out", dir.at(name), "--set", `bond.coupling.feedthrough=${mode}`, "--set", `bond.coupling.correction={method="${method}"}`);
ergon("compare", ...runs.map(([name]) => dir.at(name)), "--out", dir.at("compare.html"), "--title", "Two masses, four ways to couple them");
await page_of(dir.at("compare.html"), { width: 1280, height: 960 }, (page) => page.screenshot({ path: join(images, "compare.png") }));

await browser.close();
dir.remove();
console.log("pictures: docs/images/machine.png, report.png, compare.png");

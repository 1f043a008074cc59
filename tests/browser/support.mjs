// What the tests of pages share: the command, a folder of their own, a browser.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

export const source = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const command = process.env.ERGON_COMMAND ?? join(source, "build/ergon");

/** Runs the command; a failure is an exception with all that it printed. */
export function ergon(...args) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
/** The same where a failure is of interest. */
export function try_ergon(...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "ergon-browser-"));
  return { folder, at: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function start_browser() {
  const { chromium } = createRequire(join(source, "web/package.json"))("playwright-core");
  const executablePath = process.env.ERGON_CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`There is no ${executablePath}: run tools/setup.sh test.`);
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
    ],
  });
}

/** Of the file of tests that calls `begin_and_end`: a browser, and a folder that goes with the last test. */
export let browser;
export let dir;
export function begin_and_end() {
  before(async () => {
    dir = scratch();
    browser = await start_browser();
  });
  after(async () => {
    await browser?.close();
    dir?.remove();
  });
}

/** Opens a file from disk; `trouble` collects errors of the console, exceptions and attempts to load something. */
export async function open(browser, file, { width = 1280, height = 900, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000); // a busy machine is no fault of the page
  const trouble = [];
  // What a browser tells the page only, such as loops of observers of sizes.
  await page.addInitScript(() => window.addEventListener("error", (event) => console.error(event.message)));
  page.on("console", (message) => {
    // Software rendering tells of its slowness; that is no fault of the page.
    if (message.type() === "error" || (message.type() === "warning" && !/GPU stall|GL Driver/.test(message.text())))
      trouble.push(message.text());
  });
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) trouble.push(`asks for ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("main section");
  return { page, trouble, close: () => context.close() };
}

/** How many different colours a canvas shows, and how many pixels are not of the most frequent one. */
export async function drawn_pixels(page, selector) {
  return page.$eval(selector, (canvas) => {
    const copy = document.createElement("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const counts = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const colour = (data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3];
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    return { colours: counts.size, drawn: data.length / 4 - most };
  });
}

/** Elements that stick out of the window, and texts that cover each other: what must not be. */
export async function layout_trouble(page) {
  return page.evaluate(() => {
    const found = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width + 1) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    const inside_scroller = (element) => element.closest(".scroll, pre, nav ul, .choices") !== null;
    for (const element of document.querySelectorAll("main *, header *")) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || inside_scroller(element)) continue;
      if (box.right > width + 1 && getComputedStyle(element).visibility !== "hidden")
        found.push(`${element.tagName}.${element.className} ends at ${Math.round(box.right)} px`);
    }
    // Texts of one drawing, legend or list of figures.
    const texts = [...document.querySelectorAll(".diagram text, .legend li, .figures dd, .buttons > *, .controls > *, h2, figcaption")];
    const boxes = texts.map((t) => [t, t.getBoundingClientRect()]).filter(([, b]) => b.width > 0);
    for (let i = 0; i < boxes.length; ++i) {
      for (let k = i + 1; k < boxes.length; ++k) {
        const [a, b] = [boxes[i][1], boxes[k][1]];
        const overlap = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
        if (overlap) found.push(`'${boxes[i][0].textContent}' covers '${boxes[k][0].textContent}'`);
      }
    }
    return found;
  });
}

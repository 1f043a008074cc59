// Bundles the pages of web/src into one C++ file: node build.mjs OUTPUT.cpp
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];

async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [join("src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome109", "firefox115", "safari16.4"],
    charset: "utf8",
    legalComments: "inline",
    loader: { ".css": "css" },
  });
  const text = result.outputFiles[0].text.trim();
  // Inside an element of a page nothing may end it.
  if (/<\/(script|style)/i.test(text) || text.includes("<!--")) throw new Error(`${entry} cannot stand in a page`);
  return text;
}

/** A string of C++ in pieces: compilers limit the length of one. */
function literal(text) {
  const pieces = text.match(/[\s\S]{1,12000}/gu) ?? [""];
  return pieces.map((piece) => `R"~~~~(${piece})~~~~"`).join("\n");
}

const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const style = await bundle("style.css");
const script = await bundle("main.ts");
const animation = await bundle("animation.ts");
const text = `// Made by web/build.mjs.
#include "ergon/report/page_assets.hpp"

namespace ergon::report::assets {
using namespace std::string_view_literals;
const std::string_view style =
${literal(style)}sv;
const std::string_view script =
${literal(script)}sv;
const std::string_view script_hash = "${hash(script)}"sv;
const std::string_view animation_script =
${literal(animation)}sv;
const std::string_view animation_script_hash = "${hash(animation)}"sv;
const std::string_view why_missing = ""sv;
}  // namespace ergon::report::assets
`;
let before = "";
try {
  before = readFileSync(output, "utf8");
} catch {
  // there is none yet
}
if (before !== text) writeFileSync(output, text);

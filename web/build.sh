#!/usr/bin/env bash
# Makes the C++ file that holds the report pages: web/build.sh OUTPUT.cpp
# Packages come from npm, as package-lock.json names them, into web/node_modules; with all of them (for tests): web/build.sh --dev.
# Without node, npm or network the command is built all the same, without pages, and says so where a page is asked for. The next
# build tries again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Two builds at a time share one folder of packages.
exec 9>.lock
flock 9

# $1: "" for what a build needs, "dev" for tests, too. The folder remembers what it was made of.
install_packages() {
  local stamp=node_modules/.made-of wanted have=""
  wanted=$(sha256sum package-lock.json | cut -d ' ' -f 1)
  [[ -f $stamp ]] && have=$(cat "$stamp")
  [[ $have == "$wanted dev" || $have == "$wanted $1" ]] && return 0
  command -v npm >/dev/null || { echo "npm is missing (Debian package npm)"; return 1; }
  local log
  if ! log=$(npm ci --ignore-scripts --no-progress --loglevel=error "$([[ $1 == dev ]] && echo --include=dev || echo --omit=dev)" 2>&1); then
    echo "npm could not fetch the packages of web/package-lock.json (is there a network?): $(tail -n 1 <<<"$log" | cut -c 1-120)"
    return 1
  fi
  echo "$wanted $1" >"$stamp"
}

if [[ ${1:-} == --dev ]]; then
  why=$(install_packages dev) || { echo "web: $why" >&2; exit 1; }
  exit 0
fi

output=${1:?usage: web/build.sh OUTPUT.cpp}
# Nothing to do where the output is newer than all that it is made of.
if [[ -f $output ]] && grep -q 'why_missing = ""sv' "$output" &&
  [[ -z $(find src build.mjs build.sh package-lock.json -newer "$output" -print -quit) ]]; then
  exit 0
fi

why=""
if ! command -v node >/dev/null; then
  why="node is missing (Debian package nodejs)"
elif ! why=$(install_packages ""); then
  :
elif ! log=$(node build.mjs "$output" 2>&1); then
  echo "$log" >&2
  exit 1
else
  touch "$output"
  exit 0
fi

echo "warning: the command is built without report pages: $why." >&2
echo "         'ergon run' works; 'ergon report', 'compare --out' and 'bench --report' will not. Build again with network." >&2
[[ -f $output ]] && grep -qF "$why" "$output" && exit 0
why=${why//\\/ }
cat >"$output" <<END
// Made by web/build.sh, without pages.
#include "ergon/report/page_assets.hpp"

namespace ergon::report::assets {
using namespace std::string_view_literals;
const std::string_view style = ""sv, script = ""sv, script_hash = ""sv, animation_script = ""sv, animation_script_hash = ""sv;
const std::string_view why_missing = R"~~~~($why. Build ergon again where npm can reach its registry.)~~~~"sv;
}  // namespace ergon::report::assets
END

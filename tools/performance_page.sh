#!/usr/bin/env bash
# Puts what the harness measures into a page, between its two marks; the words around it stay.
#   tools/performance_page.sh build/release/bench/overhead docs/performance.md
set -euo pipefail
harness=$1
page=$2

measured=$(mktemp)
trap 'rm -f "$measured"' EXIT
"$harness" --markdown > "$measured"
grep -qF '<!-- measured -->' "$page" && grep -qF '<!-- end of measured -->' "$page" || {
  echo "performance: $page has no place for figures: the lines '<!-- measured -->' and '<!-- end of measured -->'" >&2
  exit 1
}
awk -v file="$measured" '
  /<!-- end of measured -->/ { skipping = 0 }
  !skipping { print }
  /<!-- measured -->/ { while ((getline line < file) > 0) print line; skipping = 1 }
' "$page" > "$page.new"
mv "$page.new" "$page"

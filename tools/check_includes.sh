#!/usr/bin/env bash
# Rejects an #include against the dependency order.
#   tools/check_includes.sh [ROOT]      exit 0: all follow it; 1: violations, each printed as file:line
# The order is that of the ergon_module(<name> FOLDER <dir> [USES <module>…] …) calls in ROOT/CMakeLists.txt:
# a file may include from its own module and from those that its module names in USES, nothing else of the
# project. Its unit tests (*_test.cpp) may also include what tests share ("support/…", in tests/support) and the module
# `reference`. Live subsystems ("ergon/core/live_subsystem.hpp") are for src/core, src/coupling and tests alone. Headers of src/ are included as "ergon/<folder>/<file>". No include may contain `..`.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

[[ -f CMakeLists.txt ]] || { echo "check_includes: no CMakeLists.txt in $PWD" >&2; exit 1; }

# The first file that awk reads is the module list, the others are sources.
find . \( -path ./build -o -path ./web -o -path './.?*' \) -prune -o -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) -print |
  sed 's|^\./||' | LC_ALL=C sort | tr '\n' '\0' |
  xargs -0 awk '
function fail(where, what) { print where ": " what; bad = 1 }

# One ergon_module(...) call, already on one line without parentheses.
function declare_module(call,    word, n, i, key, name) {
  n = split(call, word, " ")
  name = word[1]
  modules[++module_count] = name
  for (i = 2; i <= n; ++i) {
    if (word[i] == "FOLDER" || word[i] == "USES" || word[i] == "LINK") { key = word[i]; continue }
    if (key == "FOLDER") folder[name] = word[i]
    if (key == "USES") {
      if (!(word[i] in folder))
        fail("CMakeLists.txt", "module " name " uses " word[i] ", which is not declared above it")
      uses[name, word[i]] = 1
      allowed[name] = allowed[name] " " word[i]
    }
  }
}

# The module that a path starts in ("" if none). An inner folder is declared before the outer one, so the first fits.
function module_of(path,    i) {
  for (i = 1; i <= module_count; ++i)
    if (index(path, folder[modules[i]] "/") == 1) return modules[i]
  return ""
}

function exists_beside(file, path,    line, there) {
  if (sub(/[^\/]*$/, "", file) == 0) file = ""
  there = (getline line < (file path)) >= 0
  close(file path)
  return there
}

FILENAME == "CMakeLists.txt" {
  sub(/#.*/, "")
  if (!open_call && match($0, /^[ \t]*ergon_module[ \t]*\(/)) { open_call = 1; call = ""; $0 = substr($0, RLENGTH + 1) }
  if (!open_call) next
  closing = index($0, ")")
  call = call " " (closing ? substr($0, 1, closing - 1) : $0)
  if (closing) { declare_module(call); open_call = 0 }
  next
}

FNR == 1 { own = module_of(FILENAME); is_test = FILENAME ~ /_test\.cpp$/ }

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  path = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*/, "", path)
  quoted = substr(path, 1, 1) == "\""
  path = substr(path, 2)
  sub(/[">].*/, "", path)
  where = FILENAME ":" FNR

  if (("/" path "/") ~ /\/\.\.\//) {
    fail(where, "\"" path "\" contains `..`; write the whole path, for example \"ergon/core/port.hpp\"")
    next
  }
  if (path == "ergon/core/live_subsystem.hpp" && FILENAME !~ /^(src\/(core|coupling)|tests)\// && !is_test) {
    fail(where, "only the engine may step, set back or change subsystems: take what the record and const capabilities show")
    next
  }
  if (own == "") next                              # app/, bench/, tests/: free to use every module
  if (is_test && (path ~ /^support\// || path ~ /^benchmarks\/reference\//)) next
  shown = path
  sub(/^ergon\//, "src/", path)
  target = module_of(path)
  path = shown
  if (target == own || (own, target) in uses) next
  if (target != "")
    fail(where, "\"" path "\" is of module " target ", but " own " may include only from: " own allowed[own] \
         " (USES in CMakeLists.txt)")
  else if (quoted && !exists_beside(FILENAME, path))
    fail(where, "\"" path "\" is in no module; " own " may include only from: " own allowed[own] \
         " (libraries are included with <>)")
}

END {
  if (module_count == 0) { print "check_includes: CMakeLists.txt declares no ergon_module"; exit 1 }
  exit bad
}' CMakeLists.txt || exit 1

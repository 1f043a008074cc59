#!/usr/bin/env bash
# Builds and runs the tests that match a pattern: tools/one_test.sh PRESET 'Suite.Name'. Finds the executable by the file that has the suite.
# ERGON_DEBUGGER=gdb runs them in a debugger, stopped before the first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1 pattern=$2
suite=${pattern%%.*}
suite=${suite##*/}  # of a parameterised test: Instance/Suite.Name/0
expression="\\bTEST(_F|_P)?\\(${suite//\*/\\w*}\\b"
mapfile -t files < <(grep -rlE --include='*_test.cpp' "$expression" src tests app bench benchmarks examples 2>/dev/null | sort)
if (( ${#files[@]} == 0 )); then
  echo "No test suite matches '$suite'. Suites are named in TEST(Suite, Name) of the *_test.cpp files." >&2
  exit 2
fi

# Which executable: tests/<folder>/… is <folder>_test; of src/<module>/… the deepest ergon_module folder, rooms of the engine together.
executable_of() {
  local file=$1 best="" name folder
  if [[ $file == tests/* ]]; then
    folder=${file#tests/}
    echo "${folder%%/*}_test"
    return
  fi
  while read -r name folder; do
    [[ $file == "$folder"/* && ${#folder} -gt ${#best} ]] && best=$folder && found=$name
  done < <(sed -nE 's/^ergon_module\(\s*(\w+)\s+FOLDER\s+(\S+).*/\1 \2/p' CMakeLists.txt)
  [[ $found == coupling_* ]] && found=coupling
  echo "${found}_test"
}

declare -A targets
for file in "${files[@]}"; do targets[$(executable_of "$file")]=1; done
mkdir -p "build/$preset"
cmake --preset "$preset" > "build/$preset/configure.log" 2>&1 || { cat "build/$preset/configure.log" >&2; exit 1; }
cmake --build "build/$preset" --target "${!targets[@]}"
[[ $pattern == *.* ]] || pattern+=.*
for target in "${!targets[@]}"; do
  command=("build/$preset/tests/$target" "--gtest_filter=$pattern:*/$pattern:$pattern/*:*/$pattern/*")
  case ${ERGON_DEBUGGER:-} in
    "") "${command[@]}" ;;
    *) "$ERGON_DEBUGGER" --args "${command[@]}" ;;
  esac
done

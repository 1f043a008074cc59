#!/usr/bin/env bash
# Tests tools/check_includes.sh on a small tree: what it must accept, and one violation of every kind.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree"/src/{core,signal/deep,models} "$tree"/benchmarks "$tree"/app "$tree"/build
cat > "$tree/CMakeLists.txt" <<'CMAKE'
# ergon_module(commented FOLDER src/commented)
ergon_module(core   FOLDER src/core   LINK Eigen3::Eigen)
ergon_module(signal FOLDER src/signal USES core LINK fmt::fmt
                                           Threads::Threads)   # a call over two lines
ergon_module(models FOLDER src/models USES core)
ergon_module(benchmarks FOLDER benchmarks USES core
                        signal)
CMAKE
echo '#pragma once' > "$tree/src/core/port.hpp"
echo '#pragma once' > "$tree/src/signal/deep/ring.hpp"
printf '%s\n' '#include "ergon/core/port.hpp"' '#include "ergon/signal/deep/ring.hpp"' '#include "deep/ring.hpp"' \
  '#include <vector>' '#include <nvector/nvector_serial.h>' '// #include "ergon/models/mass.hpp"' > "$tree/src/signal/ring.cpp"
echo '  #  include "ergon/core/port.hpp"' > "$tree/src/models/mass_test.cpp"
echo '#include "ergon/signal/deep/ring.hpp"' > "$tree/benchmarks/table.cpp"
echo '#include "support/stub.hpp"' > "$tree/src/signal/ring_test.cpp"  # what tests share
echo '#include "ergon/models/mass.hpp"' > "$tree/app/main.cpp"            # not a module: may use all
echo '#include "../models/mass.hpp"' > "$tree/build/generated.hpp"  # not ours

failures=0
expect() {  # expect <exit status> <text in the output> <later text in the output> <what is tested>
  local output status=0
  output=$("$check" "$tree" 2>&1) || status=$?
  if (( status != $1 )) || [[ $output != *"$2"*"$3"* ]]; then
    echo "check_includes_test: $4: expected exit status $1 and '$2…$3', got $status and: $output" >&2
    failures=$((failures + 1))
  fi
}
violation() {  # violation <file> <line of source> <text that the report must contain>
  printf '#pragma once\n%s\n' "$2" > "$tree/$1"
  expect 1 "$1:2:" "$3" "$1 with $2"
  rm "$tree/$1"
}

expect 0 "" "" "a tree in order"
violation src/core/bad.hpp        '#include "ergon/signal/deep/ring.hpp"'   '"ergon/signal/deep/ring.hpp" is of module signal, but core may include only from: core ('
violation src/models/bad.cpp      '#include "ergon/signal/deep/ring.hpp"'   'is of module signal, but models may include only from: models core'
violation src/models/bad_test.cpp '#include <ergon/signal/deep/ring.hpp>'   'is of module signal'
violation src/models/bad.hpp      '#include "src/signal/ring.hpp"'    'is of module signal'
violation src/signal/deep/bad.hpp '#include "benchmarks/table.hpp"'   'is of module benchmarks'
violation benchmarks/bad.cpp      '#include "ergon/models/mass.hpp"'        'benchmarks may include only from: benchmarks core signal'
violation src/signal/bad.cpp      '#include "support/stub.hpp"'        'is in no module'
violation src/signal/bad.cpp      '#include "../core/port.hpp"'       'contains `..`'
violation app/bad.cpp             '#include "ergon/core/../core/port.hpp"'  'contains `..`'
violation src/core/bad.cpp        '#include "app/main.hpp"'           'is in no module'
violation src/models/bad.cpp      '#include "ergon/core/live_subsystem.hpp"' 'only the engine may step'
violation app/bad.cpp             '#include "ergon/core/live_subsystem.hpp"' 'only the engine may step'

echo 'ergon_module(early FOLDER src/early USES late)' >> "$tree/CMakeLists.txt"
expect 1 "module early uses late" "not declared above it" "USES against the order"
echo '# nothing' > "$tree/CMakeLists.txt"
expect 1 "declares no ergon_module" "" "a list without modules"

(( failures == 0 )) || exit 1

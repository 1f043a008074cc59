#!/usr/bin/env bash
# What `make run` shows. Every scenario listed here is run; its results go to results/demo/<scenario>.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scenarios=()

for scenario in "${scenarios[@]}"; do
  build/ergon run "$scenario" --out "results/demo/$(basename "$scenario" .toml)"
done

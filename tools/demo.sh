#!/usr/bin/env bash
# What `make run` shows: the published linear oscillator, its force-displacement interface in the three feed-through
# modes, each against the analytic solution.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scenario=benchmarks/lim-oscillator/f-s.toml
for mode in stale predict refresh; do
  build/ergon run "$scenario" --set "bond.coupling.feedthrough=$mode" --out "results/demo/$mode" --quiet
done

echo
echo "Two masses, one coupling spring, 10 s in steps of 1 ms, started with 10000 J and no losses."
echo "Largest errors of energy and displacements against the analytic solution, by the way in which the coupling"
echo "force is evaluated at the interface:"
echo
build/ergon bench lim-oscillator --plain --where case=1 --where arrangement=f-s --where scheme=jacobi \
  --where H1=0.001 --where H2=0.001
echo "Trajectories, the energy books of the bond and a summary of each run:"
for mode in stale predict refresh; do
  echo "  results/demo/$mode/{results.csv,bonds.csv,summary.json}"
done

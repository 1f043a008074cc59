#!/usr/bin/env bash
# What `make run` shows: the published linear oscillator with its force-displacement interface, plain and with energy
# correction, and with the force evaluated afresh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scenario=benchmarks/lim-oscillator/f-s.toml
results=results/demo

# name, feed-through mode, correction, how the table calls it
runs=(
  "plain|stale|none|as published: the force is a step late"
  "residual-power|stale|residual-power|the same, corrected from exchanged variables alone"
  "energy-leak|stale|energy-leak|the same, corrected by the energy accounts"
  "refresh|refresh|none|force evaluated again when the motion is known"
)
for run in "${runs[@]}"; do
  IFS='|' read -r name mode correction _ <<<"$run"
  # Warnings name their run.
  build/ergon run "$scenario" --quiet --out "$results/$name" --set "bond.coupling.feedthrough=$mode" \
    --set "bond.coupling.correction={method=\"$correction\"}" 2> >(sed "s/^/$name: /" >&2)
done

echo
echo "Two masses, one coupling spring, 10 s in steps of 1 ms, started with 10000 J and no losses: a right result keeps them."
echo
printf '%-50s  %12s  %16s  %s\n' "" "E(10 s) in J" "largest error" "verdict"
for run in "${runs[@]}"; do
  IFS='|' read -r name _ _ label <<<"$run"
  verdict=$(sed -n 's/^ *"value": "\(.*\)".*/\1/p' "$results/$name/summary.json" | head -n 1)
  # The sums over all accounts, as the page shows them: "energy" at the top of summary.json.
  figures=$(awk '/^ *"energy": \{/ { inside = 1 } inside { print } /\}/ { inside = 0 }' "$results/$name/summary.json" |
    awk -F'[:,]' '/final_stored_J/ { E = $2 } /max_drift_J/ { printf "%.1f %.1f", E, $2 }')
  printf '%-50s  %12s  %14s J  %s\n' "$label" ${figures} "$verdict"
done
echo
echo "Corrections are the right tool where an output cannot be evaluated again with new inputs, as with most FMUs; where it can, refresh is better."
echo
echo "Trajectories, the energy balance of the bond and a summary of each run:"
folders=()
for run in "${runs[@]}"; do
  folders+=("$results/${run%%|*}")
  echo "  $results/${run%%|*}/{results.csv,bonds.csv,summary.json}"
done
echo
# The last one is what the others are compared with.
if build/ergon compare "${folders[@]}" --out "$results/report.html" --title "Two masses, four ways to couple them" >"$results/compare.txt"; then
  echo "All four side by side, in any browser:"
  echo "  $PWD/$results/report.html"
else
  echo "The runs are done; there is no page of them (see above)."
fi

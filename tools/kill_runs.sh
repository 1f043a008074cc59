#!/usr/bin/env bash
# kill_runs.sh ERGON [ROUNDS]: kills runs with SIGKILL at random instants and looks at what they leave. ROUNDS (default 50) of each
# kind: native models, FMUs in workers, two threads, a run that writes its report. After each kill there must be
#   whole lines   every CSV file ends with a line break, and every line has as many fields as the first
#   whole pages   report.html is complete, or is not there
#   no process    of the session of the run, within five seconds
#   no lock       .ergon-lock is gone
# Prints one line per kind; exit code 1 where one kill left anything else. docs/reliability.md has the figures.
set -uo pipefail
ergon=$(realpath "$1")
rounds=${2:-50}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

masses() {  # masses COUNT KIND: a scenario of that many masses
  printf 'simulation = { stop_time = 1e6, step_size = 1e-3 }\n'
  for ((i = 0; i < $1; ++i)); do printf '[[subsystem]]\nname = "m%d"\n%s\n' "$i" "$2"; done
}
masses 4 'model = "oscillator.mass"' > "$work/native.toml"
cp "$work/native.toml" "$work/threads.toml"
"$ergon" export oscillator.mass --fmi 3 -o "$work/mass.fmu" > /dev/null || exit 2
masses 2 "fmu = \"$work/mass.fmu\"" > "$work/workers.toml"
sed 's/1e6/30/' "$work/native.toml" > "$work/report.toml"

whole_lines() {  # whole_lines FILE
  [ ! -s "$1" ] || { [ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ] &&
    awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' "$1"; }
}

failed=0
for kind in native workers threads report; do
  wrong=0 rows=0
  for ((round = 1; round <= rounds; ++round)); do
    out=$work/out
    rm -rf "$out"
    arguments=(run "$work/$kind.toml" --quiet --check off --out "$out")
    [ $kind = workers ] && arguments+=(--isolate)
    [ $kind = threads ] && arguments+=(--threads 2)
    [ $kind = report ] && arguments+=(--report)
    setsid "$ergon" "${arguments[@]}" > "$work/said" 2>&1 &
    run=$!
    # Until it writes, then up to 300 ms more.
    for ((i = 0; i < 2000; ++i)); do [ -s "$out/results.csv" ] && break; sleep 0.005; done
    [ $kind = report ] && for ((i = 0; i < 2000; ++i)); do [ -s "$out/summary.json" ] && break; sleep 0.005; done
    sleep "0.$(printf '%03d' $((RANDOM % 300)))"
    kill -KILL "$run" 2> /dev/null
    wait "$run" 2> /dev/null
    left=x
    for ((i = 0; i < 500; ++i)); do
      left=$(ps -e -o sid=,pid=,stat=,args= | awk -v s="$run" '$1 == s && $3 !~ /Z/')
      [ -z "$left" ] && [ ! -e "$out/.ergon-lock" ] && break
      sleep 0.01
    done
    why=
    [ -n "$left" ] && why+=" a process is left: $left"
    [ -e "$out/.ergon-lock" ] && why+=" the lock is left"
    for file in "$out"/*.csv; do whole_lines "$file" || why+=" $(basename "$file") has half a line"; done
    if [ -e "$out/report.html" ] && ! tail -c 8 "$out/report.html" | grep -q '</html>'; then why+=" half a page"; fi
    [ -s "$out/results.csv" ] || why+=" there are no results: $(cat "$work/said")"
    rows=$((rows + $(wc -l < "$out/results.csv")))
    if [ -n "$why" ]; then
      wrong=$((wrong + 1))
      echo "$kind, kill $round:$why" >&2
    fi
  done
  echo "$kind: $((rounds - wrong)) of $rounds kills left whole lines and nothing else ($((rows / rounds)) rows on average)"
  [ $wrong -eq 0 ] || failed=1
done
exit $failed

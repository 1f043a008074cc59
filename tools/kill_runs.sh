#!/usr/bin/env bash
# kill_runs.sh ERGON [ROUNDS]: kills runs with SIGKILL at random instants and looks at what they leave. ROUNDS (default 50) of each
# kind: native models, FMUs in workers, two threads, a run that writes its report. After each kill there must be
#   whole lines   every CSV file ends with a line break, and every line has as many fields as the first
#   whole pages   report.html is complete, or is not there
#   no process    of the session of the run, within five seconds
#   no lock       .ergon-lock is gone
# Prints one line per kind, with how many kills met a run that was still at work (of the last kind: at its page); exit code 1 where one
# kill left anything else, or most came too late. docs/reliability.md has the figures.
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
sed 's/1e6/300/' "$work/native.toml" > "$work/report.toml"  # whose page takes some hundred milliseconds

whole_lines() {  # whole_lines FILE
  [ ! -s "$1" ] || { [ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ] &&
    awk -F, '{ gsub(/"[^"]*"/, "text") } NR == 1 { n = NF } NF != n { exit 1 }' "$1"; }
}

now_ms() { echo $(($(date +%s%N) / 1000000)); }
wait_for() {  # wait_for FILE: until it is there and has something in it, ten seconds at most
  for ((i = 0; i < 2000; ++i)); do [ -s "$1" ] && break; sleep 0.005; done
}
# Between the header and the first row a run hands its files over to the process that trims them: killed there it leaves its lock, which
# nobody holds.
wait_for_rows() {  # wait_for_rows FILE: until it has more than its header, ten seconds at most
  for ((i = 0; i < 2000; ++i)); do [ "$(head -n 2 "$1" 2> /dev/null | wc -l)" -ge 2 ] && break; sleep 0.005; done
}
start() {  # start KIND: a run of that kind into $out, as process $run
  rm -rf "$out"
  local arguments=(run "$work/$1.toml" --quiet --check off --out "$out")
  [ "$1" = workers ] && arguments+=(--isolate)
  [ "$1" = threads ] && arguments+=(--threads 2)
  [ "$1" = report ] && arguments+=(--report)
  setsid "$ergon" "${arguments[@]}" > "$work/said" 2>&1 &
  run=$!
  wait_for_rows "$out/results.csv"
  [ "$1" = report ] && wait_for "$out/summary.json"
}

# How long a page takes: kills come within that time.
out=$work/out
start report
begin=$(now_ms)
wait "$run"
page_ms=$(($(now_ms) - begin))
[ "$page_ms" -ge 10 ] || page_ms=10

failed=0
for kind in native workers threads report; do
  wrong=0 rows=0 met=0
  span_ms=300
  [ $kind = report ] && span_ms=$page_ms
  for ((round = 1; round <= rounds; ++round)); do
    start $kind
    delay_ms=$((RANDOM % span_ms))
    sleep "$((delay_ms / 1000)).$(printf '%03d' $((delay_ms % 1000)))"
    [[ $(ps -o stat= -p "$run") == [^Z]* ]] && met=$((met + 1))
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
  echo "$kind: $((rounds - wrong)) of $rounds kills left whole lines and nothing else ($((rows / rounds)) rows on average, $met of a run at work)"
  [ $wrong -eq 0 ] || failed=1
  # Whoever is killed when all is done proves nothing.
  if [ $((2 * met)) -lt "$rounds" ]; then
    echo "$kind: too few kills met a run at work" >&2
    failed=1
  fi
done
exit $failed

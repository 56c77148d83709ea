#!/usr/bin/env bash
# Shows that a run survives the death of its gateway: submits examples/crash-demo.js, kills the gateway with
# kill -9 three times at random moments while agents work, starts it again each time, and then checks that
# every agent was completed exactly once and that the result is the one of a run without crashes.
#
# Usage:  npm run build && scripts/demo-crash.sh [SEED]
# Needs nothing but node and bash. Works in a temporary folder, which it removes. Exit code 0 = all is well.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly CLI=dist/cli/main.js
readonly KILLS=3
readonly PAUSE_MS_MAX=1200
readonly READY_SECONDS=20
readonly END_SECONDS=120

case ${1:-} in
  '' | [0-9] | [0-9][0-9] | [0-9][0-9][0-9] | [0-9][0-9][0-9][0-9]) ;;
  *)
    # The comment above says what this is and how to call it.
    sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/${0##*/}"
    case $1 in -h | --help) exit 0 ;; esac
    exit 2
    ;;
esac

seed=${1:-$((RANDOM % 10000))}
RANDOM=$seed
data=$(mktemp -d)
gateway_pid=""

say() { printf '%s\n' "$*"; }
fail() {
  say "FAILED (seed $seed): $*" >&2
  exit 1
}
quickswarm() { node "$CLI" "$@"; }

stop_gateway() {
  [ -n "$gateway_pid" ] || return 0
  kill -"$1" "$gateway_pid" 2>/dev/null || true
  wait "$gateway_pid" 2>/dev/null || true
  gateway_pid=""
}
clean_up() {
  stop_gateway KILL
  rm -rf "$data"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

start_gateway() {
  : >"$data/gateway.log"
  node "$CLI" gateway --data "$data/swarm" --port 0 >"$data/gateway.log" 2>&1 &
  gateway_pid=$!
  local tries=$((READY_SECONDS * 10))
  until grep -q 'http://' "$data/gateway.log"; do
    kill -0 "$gateway_pid" 2>/dev/null || fail "the gateway ended: $(tail -n 5 "$data/gateway.log")"
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "the gateway was not ready after $READY_SECONDS s"
    sleep 0.1
  done
}

# Prints "running queued done state" of the run.
counts() {
  quickswarm show "$run" --data "$data/swarm" --json | node -e '
    const { run } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    console.log(run.children.running, run.children.queued, run.children.done, run.state);'
}

[ -f "$CLI" ] || fail "$CLI is missing; run npm run build first"

say "== The same script without crashes, for comparison"
quickswarm run examples/crash-demo.js --model offline:echo --data "$data/calm" --json >"$data/calm.json" 2>"$data/calm.log" ||
  fail "the run without crashes failed: $(cat "$data/calm.log")"

say "== A gateway in a temporary folder (seed $seed)"
start_gateway
run=$(quickswarm submit examples/crash-demo.js --model offline:slow --data "$data/swarm" 2>/dev/null)
say "submitted $run"

for ((kill = 1; kill <= KILLS; kill++)); do
  tries=100
  while read -r running queued finished state < <(counts); [ "$running" -eq 0 ]; do
    case "$state" in running | waiting) ;; *) fail "the run was $state before kill $kill" ;; esac
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "no agent was running before kill $kill"
  done
  pause_ms=$((RANDOM % PAUSE_MS_MAX))
  pause=$(printf '%d.%03d' $((pause_ms / 1000)) $((pause_ms % 1000)))
  sleep "$pause"
  stop_gateway KILL
  say "kill -9 number $kill, $pause s after $running agents were seen running, $queued queued, $finished done"
  start_gateway
done

say "== Waiting for the end"
quickswarm wait "$run" --timeout "$END_SECONDS" --data "$data/swarm" --json >"$data/wait.json" ||
  fail "waiting for the run failed with exit code $?"
quickswarm show "$run" --data "$data/swarm" --json >"$data/show.json"
quickswarm logs -f "$run" --data "$data/swarm" --json >"$data/events.jsonl"
stop_gateway TERM

node - "$data" "$KILLS" <<'CHECK' || fail "see above"
const { readFileSync } = require("node:fs");
const [, , folder, kills] = process.argv;
const read = (name) => readFileSync(`${folder}/${name}`, "utf8");
const { run, children } = JSON.parse(read("show.json"));
const calm = JSON.parse(read("calm.json"));
const expected = calm.result ?? calm.run?.result;
const events = read("events.jsonl").trim().split("\n").map((line) => JSON.parse(line));
const count = (type, id) => events.filter((event) => event.type === type && event.childId === id).length;

console.log("\nagent      status  attempts  starts  completions");
const problems = [];
for (const child of children) {
  const completions = count("child.ended", child.runId);
  const cells = [child.label.padEnd(9), child.status.padEnd(6), child.attempts, count("child.started", child.runId), completions];
  console.log(cells.map((cell, index) => (index < 2 ? cell : String(cell).padStart(7))).join("  "));
  if (completions !== 1) problems.push(`${child.label} was completed ${completions} times`);
  if (child.status !== "done") problems.push(`${child.label} ended ${child.status}: ${child.error}`);
}
const attempts = children.reduce((sum, child) => sum + child.attempts, 0);
console.log(`\n${children.length} agents, ${attempts} attempts, ${kills} kills, run ${run.state} after ${run.turn} turns`);
console.log("result:", JSON.stringify(run.result, null, 2));

const same = JSON.stringify(run.result) === JSON.stringify(expected);
if (run.state !== "done") problems.push(`the run ended ${run.state}: ${JSON.stringify(run.error)}`);
if (children.length !== run.result?.children + 1) problems.push(`there are ${children.length} agents`);
if (attempts <= children.length) problems.push("no agent had to be run again, so the kills showed nothing");
if (!same) problems.push(`the run without crashes gave ${JSON.stringify(expected)}`);
for (const problem of problems) console.error(`wrong: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
CHECK

say "OK: $KILLS crashes, every agent completed exactly once, same result as without crashes (seed $seed)"

#!/usr/bin/env bash
# Kills the runtime: a few times at random moments (test/faults/kills/kill.ts) and a few times at points of a move
# (test/faults/moves/move-deaths.ts). A long run, within an hour: `KILL_ROUNDS=1000 MOVE_POINTS=50 test/ci/faults/kill.sh`
cd "$(dirname "$0")/../../.." || exit 1
# Both wait, at the end, for the leases of the moves that were killed, and therefore run side by side. With job control
# the first one gets signals as the second does.
set -m
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
KILL_ROUNDS=${KILL_ROUNDS:-4} node host-worker/launch/run.mjs test/faults/kills/kill.ts >"$log" 2>&1 &
MOVE_POINTS=${MOVE_POINTS:-4} node host-worker/launch/run.mjs test/faults/moves/move-deaths.ts || status=1
wait $! || status=1
cat "$log"
exit $status

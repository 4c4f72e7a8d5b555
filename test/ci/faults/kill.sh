#!/usr/bin/env bash
# Kills the runtime: on one day a few times at random moments (test/faults/kills/kill.ts), on the next a few times at points
# of a move (test/faults/moves/move-deaths.ts). A long run of both, within an hour:
# `CI_SHARE=1/1 KILL_ROUNDS=1000 MOVE_POINTS=50 test/ci/faults/kill.sh`
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
# Both wait, at the end, for the leases of the moves that were killed, and therefore run side by side. With job control
# the first one gets signals as the second does.
set -m
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
if in_share 1; then
  KILL_ROUNDS=${KILL_ROUNDS:-4} node host-worker/launch/run.mjs test/faults/kills/kill.ts >"$log" 2>&1 &
fi
if in_share 2; then
  MOVE_POINTS=${MOVE_POINTS:-4} node host-worker/launch/run.mjs test/faults/moves/move-deaths.ts || status=1
fi
for job in $(jobs -p); do wait "$job" || status=1; done
cat "$log"
exit $status

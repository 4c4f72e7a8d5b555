#!/usr/bin/env bash
# Moves an organization under load, into a database of its own on one day and back on the next (CI_SHARE), by
# test/faults/moves/move-load.ts, with half of its load. A long run:
# `CI_SHARE=1/1 LOAD_PER_SECOND=50 MOVE_ROWS=1000000 test/ci/faults/move.sh`
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
LOAD_PER_SECOND=${LOAD_PER_SECOND:-25} exec node host-worker/launch/run.mjs test/faults/moves/move-load.ts

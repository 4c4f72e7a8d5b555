#!/usr/bin/env bash
# Moves an organization there and back under load, by test/faults/moves/move-load.ts. A long run:
# `MOVE_ROWS=1000000 test/ci/faults/move.sh`
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/faults/moves/move-load.ts

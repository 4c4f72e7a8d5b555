#!/usr/bin/env bash
# A few rounds of test/faults/kill.ts; `KILL_ROUNDS=30 test/ci/kill.sh` for the long form.
cd "$(dirname "$0")/../.." || exit 1
KILL_ROUNDS=${KILL_ROUNDS:-4} exec node host-worker/launch/run.mjs test/faults/kill.ts

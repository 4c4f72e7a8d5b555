#!/usr/bin/env bash
# Exports and restores an organization with many rows, and kills both a few times, by test/faults/whole-kills.ts. A long
# run: `WHOLE_ROWS=1000000 WHOLE_KILLS=50 test/ci/whole-kills.sh`
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/launch/run.mjs test/faults/whole-kills.ts

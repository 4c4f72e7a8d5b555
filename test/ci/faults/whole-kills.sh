#!/usr/bin/env bash
# Exports and restores an organization with many rows, and kills both a few times (test/faults/kills/whole-kills.ts).
# Then kills what deletes, erases and keeps no longer (test/faults/kills/removal-kills.ts). A long run:
# `WHOLE_ROWS=1000000 WHOLE_KILLS=100 REMOVAL_KILLS=50 test/ci/faults/whole-kills.sh`
cd "$(dirname "$0")/../../.." || exit 1
status=0
WHOLE_ROWS=${WHOLE_ROWS:-10000} KILL_ROWS=${KILL_ROWS:-10000} node host-worker/launch/run.mjs test/faults/kills/whole-kills.ts || status=1
KILL_ROWS=${REMOVED_ROWS:-2000} node host-worker/launch/run.mjs test/faults/kills/removal-kills.ts || status=1
exit $status

#!/usr/bin/env bash
# Kills imports of 60,000 rows for a few rounds, by test/faults/imports/import-kills.ts. That a large file takes little
# memory is shown by test/ci/sizes/{import,small-heap}.sh. A long run:
# `IMPORT_ROWS=1000000 IMPORT_KILLS=10 test/ci/faults/import-kills.sh`
cd "$(dirname "$0")/../../.." || exit 1
IMPORT_ROWS=${IMPORT_ROWS:-60000} exec node host-worker/launch/run.mjs test/faults/imports/import-kills.ts

#!/usr/bin/env bash
# Kills imports for a few rounds, by test/faults/imports/import-kills.ts. A long run:
# `IMPORT_ROWS=1000000 IMPORT_KILLS=10 test/ci/faults/import-kills.sh`
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/faults/imports/import-kills.ts

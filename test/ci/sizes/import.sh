#!/usr/bin/env bash
# Imports 25,000 rows while others read, and 100,000 rows in bounded memory, through `npm start` and the operator's
# commands. See import.ts.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/sizes/import.ts

#!/usr/bin/env bash
# On every second day (CI_SHARE) imports 25,000 rows while others read, and 100,000 rows in bounded memory, through
# `npm start` and the operator's commands. See import.ts.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
in_share 1 || exit 0
exec node host-worker/launch/run.mjs test/ci/sizes/import.ts

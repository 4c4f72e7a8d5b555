#!/usr/bin/env bash
# Every command of the README in a fresh copy of the project, twice, with a restart in between. See readme.ts.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/dev/run.mjs test/ci/readme.ts

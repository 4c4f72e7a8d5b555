#!/usr/bin/env bash
# Runs the commands of the README's tour as printed, twice, with a restart in between. See readme.ts.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/dev/run.mjs test/ci/readme.ts

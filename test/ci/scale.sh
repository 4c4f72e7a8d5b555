#!/usr/bin/env bash
# Query plans and rows read of every collection at 100,000 rows of one tenant among 20. See scale.ts.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/dev/run.mjs test/ci/scale.ts

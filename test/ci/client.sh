#!/usr/bin/env bash
# An integrator's typed client: generated, compiled, interrupted and resumed. See client.ts.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/client.ts

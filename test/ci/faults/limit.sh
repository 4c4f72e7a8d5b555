#!/usr/bin/env bash
# One contact posts 100 times at once to a form that accepts three submissions from each contact. See limit.ts.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/faults/limit.ts

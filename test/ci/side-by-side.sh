#!/usr/bin/env bash
# Two copies of the service beside each other, and what is left of them when they end. See side-by-side.ts.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/side-by-side.ts

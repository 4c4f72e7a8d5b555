#!/usr/bin/env bash
# Runs two copies of the service beside each other, and checks what is left of them when they end. See side-by-side.ts.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/sizes/side-by-side.ts

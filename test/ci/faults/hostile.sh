#!/usr/bin/env bash
# Sends hostile requests, drawn from a seed, for a short time. HOSTILE_REQUESTS=200000 makes it a long run.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/faults/hostile.ts

#!/usr/bin/env bash
# Hostile requests, a short seeded run. HOSTILE_REQUESTS=200000 makes it a long one.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/hostile.ts

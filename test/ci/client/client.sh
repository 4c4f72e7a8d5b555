#!/usr/bin/env bash
# Generates and compiles an integrator's typed client, interrupts it and runs it again. See client.ts.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/client/client.ts

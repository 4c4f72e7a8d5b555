#!/usr/bin/env bash
# On every second day (CI_SHARE) generates and compiles an integrator's typed client, interrupts it and runs it again. See
# client.ts.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
in_share 1 || exit 0
exec node host-worker/launch/run.mjs test/ci/client/client.ts

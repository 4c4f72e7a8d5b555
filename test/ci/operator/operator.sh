#!/usr/bin/env bash
# On every third day (CI_SHARE) operates two services from one command line, on a machine that has no state, secret or
# cloud login, and rotates a root secret from start to end.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 3
in_share 1 || exit 0
exec node host-worker/launch/run.mjs test/ci/operator/operator.ts

#!/usr/bin/env bash
# Operates two services from one command line, on a machine that has no state, secret or cloud login, and rotates a root
# secret from start to end.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/operator/operator.ts

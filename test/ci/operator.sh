#!/usr/bin/env bash
# One command line and two services; a machine without state, secret or cloud login; a rotation of the root secret from
# start to end.
cd "$(dirname "$0")/../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/operator.ts

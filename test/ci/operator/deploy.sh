#!/usr/bin/env bash
# Deploys into an account that is a stand-in, with the real wrangler: from nothing, again, interrupted, and back.
set -euo pipefail
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/operator/deploy.ts

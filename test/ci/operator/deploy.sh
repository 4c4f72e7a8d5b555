#!/usr/bin/env bash
# On every third day (CI_SHARE) deploys into an account that is a stand-in, with the real wrangler: from nothing, again,
# interrupted, and back. Every day readme.sh deploys there by the commands of the manual.
set -euo pipefail
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 3
in_share 3 || exit 0
exec node host-worker/launch/run.mjs test/ci/operator/deploy.ts

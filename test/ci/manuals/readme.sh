#!/usr/bin/env bash
# Runs every command of the README in a fresh copy of the project, again after a restart, and those of a quarter of the other
# manuals, of others every day (CI_SHARE). See readme.ts. The page that a guide makes is opened in Chromium.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/find-chromium.sh
source test/support/runner/share.sh 4
exec node host-worker/launch/run.mjs test/ci/manuals/readme.ts

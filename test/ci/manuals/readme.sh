#!/usr/bin/env bash
# Runs every command of the README and of the manuals in a fresh copy of the project, and those of the README again after
# a restart. See readme.ts. The page that a guide makes is opened in Chromium.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/find-chromium.sh
exec node host-worker/launch/run.mjs test/ci/manuals/readme.ts

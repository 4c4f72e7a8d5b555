#!/usr/bin/env bash
# Checks that mutation testing works: see mutation.ts. Mistakes in the whole service are made by .ci/nightly.
cd "$(dirname "$0")/../../.." || exit 1
exec node host-worker/launch/run.mjs test/ci/suites/mutation.ts

#!/usr/bin/env bash
# Measures the cost of the analytics of ANALYTICS_MEMBERS members (25,000). Then checks the query plans and the rows read of
# a third of the collections, others every day (CI_SHARE), with 100,000 rows of one tenant among 20. See scale.ts.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 3
SYSTEM_TESTS=yes ANALYTICS_MEMBERS=${ANALYTICS_MEMBERS:-25000} bash test/support/runner/counted-tests.sh test/e2e/analytics-cost --hookTimeout 300000 || exit 1
exec node host-worker/launch/run.mjs test/ci/sizes/scale.ts

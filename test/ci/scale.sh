#!/usr/bin/env bash
# Query plans and rows read of every collection at 100,000 rows of one tenant among 20 (see scale.ts), after the cost of
# the analytics of 100,000 members.
cd "$(dirname "$0")/../.." || exit 1
ANALYTICS_MEMBERS=100000 bash test/support/counted-tests.sh test/e2e/analytics-cost.test.ts || exit 1
exec node host-worker/launch/run.mjs test/ci/scale.ts

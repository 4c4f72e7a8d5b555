#!/usr/bin/env bash
# Compares this form engine with each of two others, on five thousand generated definitions with answers; `npm test` uses
# fewer. DIFFERENTIAL_SEED selects others.
cd "$(dirname "$0")/../../.." || exit 1
DIFFERENTIAL_PAIRS=${DIFFERENTIAL_PAIRS:-5000} exec bash test/support/runner/counted-tests.sh test/differential

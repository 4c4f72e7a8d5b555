#!/usr/bin/env bash
# Compares ten thousand generated definitions and answers with each of two other form engines; `npm test` uses the first
# hundred. DIFFERENTIAL_SEED selects others.
cd "$(dirname "$0")/../.." || exit 1
DIFFERENTIAL_PAIRS=${DIFFERENTIAL_PAIRS:-10000} exec bash test/support/counted-tests.sh test/differential

#!/usr/bin/env bash
# Ten thousand definitions with answers beside each of two other form engines; `npm test` draws the first thousand.
# DIFFERENTIAL_SEED draws others.
cd "$(dirname "$0")/../.." || exit 1
DIFFERENTIAL_PAIRS=${DIFFERENTIAL_PAIRS:-10000} exec bash test/support/counted-tests.sh test/differential

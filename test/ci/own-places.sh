#!/usr/bin/env bash
# The contract tests with every organization in a database of its own; `npm test` has them in the shared one.
cd "$(dirname "$0")/../.." || exit 1
TEST_PLACE=own exec bash test/support/counted-tests.sh test/contract

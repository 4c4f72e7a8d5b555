#!/usr/bin/env bash
# Runs the contract tests with every organization in a database of its own; in `npm test` all are in the shared
# database.
cd "$(dirname "$0")/../../.." || exit 1
TEST_PLACE=own exec bash test/support/runner/counted-tests.sh test/contract

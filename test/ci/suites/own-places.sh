#!/usr/bin/env bash
# Runs the contract tests with every organization in a database of its own; in `npm test` all are in the shared
# database. It runs a sixth of the files, others every day (CI_SHARE). Files that choose the place themselves, or ask for
# the document alone, would do the same as there.
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 6
TEST_PLACE=own exec bash test/support/runner/counted-tests.sh test/contract --shard "$CI_SHARE" \
  --exclude 'test/contract/golden/{document,imports}.test.ts' --exclude 'test/contract/removal/removal-{at-once,copies}.long.test.ts' \
  --exclude 'test/contract/operator/import-secrets.test.ts' --exclude 'test/contract/document*.test.ts'

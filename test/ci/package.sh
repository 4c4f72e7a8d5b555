#!/usr/bin/env bash
# Installs the packed project from the registry into a folder of its own, as anybody would, and uses it there. The same
# test runs in `npm test` with dependencies copied from this project's installation: that one needs no network.
cd "$(dirname "$0")/../.." || exit 1
PACKAGE_INSTALL=registry exec bash test/support/counted-tests.sh test/e2e/package.test.ts

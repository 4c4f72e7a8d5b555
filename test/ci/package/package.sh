#!/usr/bin/env bash
# Packs the project, installs it from the registry into another folder, as a user would, and uses it there.
cd "$(dirname "$0")/../../.." || exit 1
PACKAGE_TESTS=yes exec bash test/support/runner/counted-tests.sh

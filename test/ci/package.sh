#!/usr/bin/env bash
# Packs the project, installs it from the registry into a folder of its own, as anybody would, and uses it there.
cd "$(dirname "$0")/../.." || exit 1
PACKAGE_TESTS=yes exec bash test/support/counted-tests.sh

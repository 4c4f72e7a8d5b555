#!/usr/bin/env bash
# Packs the project, installs it from the registry into another folder, as a user would, and uses it there: on one day in
# programs of its own (library.spec.ts), on the next as types and exports (package.spec.ts).
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
files=()
if in_share 1; then files+=(test/ci/package/library.spec.ts); fi
if in_share 2; then files+=(test/ci/package/package.spec.ts); fi
PACKAGE_TESTS=yes exec bash test/support/runner/counted-tests.sh "${files[@]}"

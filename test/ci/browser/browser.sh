#!/usr/bin/env bash
# Tests forms, the console and the pages in a real Chromium: the demo's web site is on one origin, the service on another. It
# runs a quarter of the files, others every day (CI_SHARE). Screenshots are written to .wrangler/screenshots. CHROMIUM names a
# browser to use instead of Debian's.
set -u
cd "$(dirname "$0")/../../.." || exit 1

source test/support/runner/find-chromium.sh
source test/support/runner/share.sh 4
# The slowest come first, so that every share has its part of them.
slowest=(docs console/imports console/submissions components console/organizations console/form-editor snippets
  console/mailbox console/operators client form-html console/analytics)
number=0
files=()
for file in $(printf 'test/ci/browser/%s.spec.ts\n' "${slowest[@]}" | cat - <(ls test/ci/browser/{,console/}*.spec.ts) | awk '!seen[$0]++'); do
  if in_share $((number += 1)); then files+=("$file"); fi
done
BROWSER_TESTS=yes exec bash test/support/runner/counted-tests.sh "${files[@]}"

#!/usr/bin/env bash
# Tests forms in a real Chromium: the demo's web site is on one origin, the service on another. Screenshots are written
# to .wrangler/screenshots. CHROMIUM names a browser to use instead of Debian's.
set -u
cd "$(dirname "$0")/../../.." || exit 1

source test/support/runner/find-chromium.sh
BROWSER_TESTS=yes exec bash test/support/runner/counted-tests.sh

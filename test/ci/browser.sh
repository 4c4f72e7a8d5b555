#!/usr/bin/env bash
# Tests forms in a real Chromium: the demo's web site is on one origin, the service on another. Screenshots are written
# to .wrangler/screenshots. CHROMIUM names a browser to use instead of Debian's.
set -u
cd "$(dirname "$0")/../.." || exit 1

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null || {
    echo 'Chromium is missing and could not be installed; set CHROMIUM to the path of one.'
    echo '0 passed, 1 failed'
    exit 1
  }
fi
BROWSER_TESTS=yes CHROMIUM=${CHROMIUM:-$(command -v chromium)} exec bash test/support/runner/counted-tests.sh

#!/usr/bin/env bash
# Runs test files as `npm test` does and ends with the line "N passed, N failed": counted-tests.sh FILE…
set -u
cd "$(dirname "$0")/../.." || exit 1

report=$(mktemp)
npm --silent test -- "$@" --reporter=default --reporter=json --outputFile.json="$report"
status=$?
node -e '
  const [path, status] = process.argv.slice(1)
  const text = require("fs").readFileSync(path, "utf8")
  const { numPassedTests = 0, numFailedTests = 0 } = text === "" ? {} : JSON.parse(text)
  // A file that does not load, or an error between tests, fails the run without failing a test.
  console.log(`${numPassedTests} passed, ${numFailedTests || (status === "0" ? 0 : 1)} failed`)
' "$report" "$status"
rm -f "$report"
exit "$status"

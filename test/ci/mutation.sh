#!/usr/bin/env bash
# Checks that mutation testing works: in one small file, the tests beside it notice the mistakes, and one that no test
# looks at is reported. Mistakes in the rest of the service are made by .ci/nightly.
cd "$(dirname "$0")/../.." || exit 1
report=$(mktemp)
trap 'rm -f "$report"' EXIT
npm run --silent mutate -- --folder domain/access/purchase-id.ts --tests domain/access/purchase-id \
  --json "$report" --at-least 60 || exit 1
node -e '
  const { results } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
  const killed = results.filter(({ outcome }) => outcome === "killed").length
  if (killed === 0) throw new Error("No mistake was noticed, or none was made")
' "$report"

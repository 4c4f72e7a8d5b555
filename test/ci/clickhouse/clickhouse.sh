#!/usr/bin/env bash
# On every second day (CI_SHARE) runs the cancellation survey on a real ClickHouse engine: chdb from npm. It is half a
# gigabyte, so it is installed in a folder of its own and not as a dependency. CHDB names a folder that has it already. See
# clickhouse.ts.
set -u
cd "$(dirname "$0")/../../.." || exit 1
source test/support/runner/share.sh 2
in_share 2 || exit 0

CHDB=${CHDB:-$PWD/.wrangler/chdb}
if [ ! -d "$CHDB/node_modules/chdb" ]; then
  mkdir -p "$CHDB" && npm install --silent --no-audit --no-fund --no-save --prefix "$CHDB" chdb@3.4.0 >/dev/null || {
    echo 'chdb could not be installed.'
    echo '0 passed, 1 failed'
    exit 1
  }
fi
CHDB=$CHDB exec node host-worker/launch/run.mjs test/ci/clickhouse/clickhouse.ts

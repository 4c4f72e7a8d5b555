#!/usr/bin/env bash
# Tests the ODBC gateway on real drivers, all from Debian: odbc_shared on PostgreSQL through psqlODBC, odbc_second on
# SQLite through SQLite ODBC. The tests start a PostgreSQL server in a temporary folder. It runs a third of the files, others
# every day (CI_SHARE). A long run, of a million sales: `CI_SHARE=1/1 ODBC_SALES=1000000 test/ci/odbc/odbc.sh`
set -u
cd "$(dirname "$0")/../../.." || exit 1

gateway=adapters/pos-odbc/gateway

fail() {
  echo "$1"
  echo '0 passed, 1 failed'
  exit 1
}

source test/support/runner/debian-packages.sh
source test/support/runner/share.sh 3

bin() {
  local found=(/usr/lib/postgresql/*/bin)
  echo "${found[-1]}"
}

if ! command -v odbcinst >/dev/null || [ ! -x "$(bin)/initdb" ] || ! odbcinst -q -d -n 'PostgreSQL Unicode' >/dev/null 2>&1 ||
  ! odbcinst -q -d -n SQLite3 >/dev/null 2>&1 || [ ! -e /usr/include/sql.h ]; then
  debian_packages unixodbc unixodbc-dev odbc-postgresql postgresql libsqliteodbc g++ make python3 ||
    fail 'unixODBC, its drivers or PostgreSQL are missing and could not be installed.'
fi

# Installs what the gateway needs beyond Node beside the gateway, as an operator does.
if [ ! -e "$gateway/node_modules/.package-lock.json" ] ||
  [ "$gateway/package-lock.json" -nt "$gateway/node_modules/.package-lock.json" ]; then
  npm ci --prefix "$gateway" --no-audit --no-fund --loglevel=error || fail 'The package odbc could not be built.'
fi

folder=$(mktemp -d)
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')

# PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" -eq 0 ]; then su postgres -s /bin/bash -c "$1"; else bash -c "$1"; fi
}
if [ "$(id -u)" -eq 0 ]; then chown postgres "$folder"; fi

server="$(bin)/pg_ctl -D $folder/data -w -s"
start="$server -l $folder/log -o '-p $port -k $folder -c listen_addresses=127.0.0.1 -c fsync=off' start"
stop="$server -m immediate stop"

as_postgres "$(bin)/initdb -D $folder/data -A trust -U postgres >/dev/null" && as_postgres "$start" ||
  fail 'PostgreSQL could not be started.'
trap 'as_postgres "$stop" >/dev/null 2>&1; rm -rf "$folder"' EXIT

export ODBC_TESTS=yes ODBC_POSTGRES_PORT=$port
if [ "$(id -u)" -eq 0 ]; then
  export ODBC_POSTGRES_START="su postgres -s /bin/bash -c \"$start\"" ODBC_POSTGRES_STOP="su postgres -s /bin/bash -c \"$stop\""
else
  export ODBC_POSTGRES_START=$start ODBC_POSTGRES_STOP=$stop
fi
files=()
if in_share 1; then files+=(test/conformance/pos-{gateway,odbc}.system.test.ts); fi
if in_share 2; then files+=(test/ci/odbc/postgres.spec.ts); fi
if in_share 3; then files+=(test/e2e/pos.system.test.ts test/faults/pos-gateway.system.test.ts); fi
PATH="$(bin):$PATH" bash test/support/runner/counted-tests.sh --no-file-parallelism "${files[@]}"

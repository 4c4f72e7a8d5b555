#!/usr/bin/env bash
# Kills a move of a family at each of its calls, in each direction, and lets another process end it or give it up. Also
# writes at random while a family moves there and back. `npm test` kills at every eighth call, and has three seeds of
# random writes instead of ten.
cd "$(dirname "$0")/../.." || exit 1
MOVE_KILLS_STRIDE=1 MOVE_SEEDS=10 exec bash test/support/runner/counted-tests.sh \
  adapters/sqlite/move/{kills,random-writes}.test.ts --testTimeout 300000

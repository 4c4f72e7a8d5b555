#!/usr/bin/env bash
# Kills a move of a family at each of its calls, in each direction, and lets another process end it or give it up;
# `npm test` kills it at every eighth.
cd "$(dirname "$0")/../.." || exit 1
MOVE_KILLS_STRIDE=1 exec bash test/support/counted-tests.sh adapters/sqlite/move/kills.test.ts --testTimeout 300000

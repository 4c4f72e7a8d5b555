#!/usr/bin/env bash
# Kills a move of a family at each of its calls, in each direction, and lets another process end it or give it up.
set -euo pipefail
cd "$(dirname "$0")/../.."

export MOVE_KILLS_STRIDE=1
exec npx vitest run --config .config/vitest.config.ts adapters/sqlite/move/kills.test.ts --testTimeout 300000

#!/usr/bin/env bash
# Interrupts moves, imports, removals and restorations at each of their calls, in each place and direction, and lets
# another process take them up; draws random writes, removals and queues from all seeds. `npm test` does that at every few
# calls, and for fewer seeds (test/support/runner/thorough.ts).
cd "$(dirname "$0")/../../.." || exit 1
EVERY_MOMENT=yes MOVE_KILLS_STRIDE=1 MOVE_SEEDS=10 exec bash test/support/runner/counted-tests.sh \
  adapters/sqlite/move/{kills,random-writes}.test.ts domain/whole/{remove,restore}/kills.test.ts \
  test/faults/{imports,queue}.test.ts test/contract/removal/removal-{at-once,copies}.test.ts --testTimeout 300000

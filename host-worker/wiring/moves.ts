import { createExecutor } from '../../adapters/d1/executor.ts'
import { createObjectMovePlace } from '../../adapters/durable-object/move-place.ts'
import { createMoveLedger, createMovePlace, sharedControl } from '../../adapters/sqlite/move/index.ts'
import type { MovesWorld } from '../../domain/placement/moves.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Env } from '../env/index.ts'
import { systemClock, systemDeadline, systemRandom } from '../system.ts'
import { openPlaces, openStorage } from './all-storage.ts'
import { createMeter } from './storage.ts'

/** Rows that one step of a move reads or writes in the shared database: others wait for it meanwhile. */
const SHARED_ROWS_MAX = 200

/** The ports of moves, for work that nobody waits for. No I/O. */
export function openMoves(env: Env, meter: Meter = createMeter()): Omit<MovesWorld, 'background'> {
  const { database, families } = env
  const clock = systemClock
  const executor = createExecutor({ database, clock, meter })
  return {
    ledger: createMoveLedger(executor),
    places: (place) => {
      if (place.kind === 'shared')
        return createMovePlace({ executor, control: sharedControl(executor), rowsMax: SHARED_ROWS_MAX })
      if (families === null) throw new Error('A move needs the binding FAMILIES')
      return createObjectMovePlace({ namespace: families, place, clock, meter })
    },
    directory: openPlaces(env, meter).directory,
    administration: openStorage(env, meter).administration,
    hasDatabases: families !== null,
    clock,
    deadline: systemDeadline,
    random: systemRandom,
  }
}

import { createExecutor } from '../../adapters/d1/executor.ts'
import { createObjectMovePlace } from '../../adapters/durable-object/client/move-place.ts'
import { ownMigrations } from '../../adapters/durable-object/object/own-migrations.ts'
import { createMoveLedger, createMovePlace, sharedControl } from '../../adapters/sqlite/move/index.ts'
import type { MovesWorld } from '../../domain/placement/operators/moves.ts'
import { createPlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { Meter } from '../../ports/platform.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemPorts } from '../system.ts'
import { openAllPlaces } from './all-storage.ts'
import { createMeter } from './opening.ts'

/**
 * How many rows one step of a move reads or writes in the shared database. Other organizations wait meanwhile, so it is
 * small.
 */
const SHARED_ROWS_MAX = 200

/** The ports of moves, for background work. No I/O. */
export function openMoves(env: Env, meter: Meter = createMeter()): Omit<MovesWorld, 'background'> {
  const { database, families } = env
  const { clock } = systemPorts
  const executor = createExecutor({ database, clock, meter })
  const places = openAllPlaces(env, meter)
  return {
    ledger: createMoveLedger(executor),
    places: (place) => {
      if (place.kind === 'shared')
        return createMovePlace({ executor, control: sharedControl(executor), rowsMax: SHARED_ROWS_MAX })
      if (families === null) throw new Error('A move needs the binding FAMILIES')
      return createObjectMovePlace({ namespace: families, place, clock, meter, migrations: ownMigrations })
    },
    directory: places.directory,
    administration: createPlacedStorage(places, consoleLog).administration,
    databases: places.databases,
    ...systemPorts,
  }
}

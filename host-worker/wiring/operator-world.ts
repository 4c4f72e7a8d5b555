import { sweepImports } from '../../domain/imports/write.ts'
import { createMoves } from '../../domain/placement/operators/moves.ts'
import type { Background, Meter } from '../../ports/platform.ts'
import type { ImportDirectory } from '../../ports/import-sessions.ts'
import type { Env } from '../env/index.ts'
import { importsOf } from '../http/imports.ts'
import { createWorld, type WholeWorld } from '../http/world.ts'
import { openStorage } from './all-storage.ts'
import { openMoves } from './moves.ts'
import { createMeter, detached, secretsOf } from './opening.ts'
import { posDestination } from './pos/pos-destination.ts'

/** Assembles the ports for a request of an operator, and for work on the imports of organizations. */
export async function openOperatorWorld(
  env: Env,
  meter: Meter = createMeter(),
  background: Background = detached,
): Promise<WholeWorld> {
  const storage = openStorage(env, meter, background)
  const { overview, restorePlaces, deletionPlaces } = storage
  const moves = createMoves({ ...openMoves(env, meter), background })
  return createWorld({
    storage,
    secrets: await secretsOf(env),
    places: { overview, restorePlaces, deletionPlaces, moves },
    posDestination: (organization) => posDestination(organization, env),
    backups: async () => (env.backups === null ? null : (await import('./backups.ts')).openBackups(env)),
    background,
  })
}

/** Continues imports of one database that were interrupted, and removes what others have left behind. */
export async function sweepImportsOf(env: Env, imports: ImportDirectory): Promise<void> {
  const world = await openOperatorWorld(env)
  await sweepImports({ ...world, imports, openImports: importsOf(world) })
}

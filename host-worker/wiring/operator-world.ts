import { createExecutor } from '../../adapters/d1/executor.ts'
import { ownMigrations } from '../../adapters/durable-object/object/own-migrations.ts'
import { openLegacyVendorWriter } from '../../adapters/pos-legacy-vendor/index.ts'
import { createObjectMovePlace } from '../../adapters/durable-object/client/control.ts'
import { createMoveLedger } from '../../adapters/sqlite/move/ledger.ts'
import { createMovePlace, sharedControl } from '../../adapters/sqlite/move/place.ts'
import type { PosDestination } from '../../domain/imports/check.ts'
import { sweepImports } from '../../domain/imports/write.ts'
import { createMoves, type MovesWorld } from '../../domain/placement/operators/moves.ts'
import type { ImportDirectory } from '../../ports/import-sessions.ts'
import type { OperatorWorld } from '../../domain/operators/world.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { Background, Meter } from '../../ports/platform.ts'
import type { Env } from '../env/index.ts'
import { importsOf, createWorld, type ServiceWorld } from '../http/world.ts'
import { systemClock, systemPorts } from '../system.ts'
import { openStorage, type AllStorage } from './all-storage.ts'
import { createMeter, detached, secretsOf } from './opening.ts'
import { bound } from './places.ts'
import { emailOf, smsOf } from './providers.ts'

/** Assembles the ports for a request of an operator, and for work on the imports of organizations. */
export async function openOperatorWorld(
  env: Env,
  meter: Meter = createMeter(),
  background: Background = detached,
  wake?: OperatorWorld['wake'],
): Promise<ServiceWorld> {
  const all = openStorage(env, meter, background)
  const { storage } = all
  const { overview, restorePlaces, deletionPlaces } = storage
  const moves = createMoves({ ...openMoves(env, all, meter), background })
  return createWorld({
    storage,
    secrets: await secretsOf(env),
    email: emailOf(env),
    sms: smsOf(env),
    mail: env.mail,
    places: { overview, restorePlaces, deletionPlaces, moves },
    posDestination: (organization) => posDestination(organization, env),
    backups: async () => (env.backups === null ? null : (await import('./backups.ts')).openBackups(env)),
    background,
    isLocal: env.isLocal,
    wake,
  })
}

/** Continues imports of one database that were interrupted, and removes what others have left behind. */
export async function sweepImportsOf(env: Env, imports: ImportDirectory): Promise<void> {
  const world = await openOperatorWorld(env)
  await sweepImports({ ...world, imports, openImports: importsOf(world) })
}

/**
 * How many rows one step of a move reads or writes in the shared database. Other organizations wait meanwhile, so it is
 * small.
 */
const SHARED_ROWS_MAX = 200

/** The ports of moves. No I/O. */
export function openMoves(
  { families }: Env,
  { storage, places, executor }: AllStorage,
  meter: Meter = createMeter(),
): Omit<MovesWorld, 'background'> {
  const { clock } = systemPorts
  return {
    ledger: createMoveLedger(executor),
    places: (place) => {
      if (place.kind === 'shared')
        return createMovePlace({ executor, control: sharedControl(executor), rowsMax: SHARED_ROWS_MAX })
      const namespace = bound(families)
      return createObjectMovePlace({ namespace, place, clock, meter, migrations: ownMigrations })
    },
    directory: places.directory,
    administration: storage.administration,
    databases: places.databases,
    ...systemPorts,
  }
}

/** The destination of rows for an organization's point of sale, as far as the service itself can reach it. */
function posDestination(
  { organizationId, posSource }: Organization,
  { posLegacy }: Pick<Env, 'posLegacy'>,
): PosDestination {
  if (posSource === null) {
    return {
      refusal: `The organization ${organizationId} has no point of sale. Tie it to one with "org create --id ${organizationId} --pos-source KIND:TENANT".`,
    }
  }
  if (posSource.kind !== 'legacy_vendor') {
    return {
      refusal: `The point of sale of ${organizationId}, ${posSource.kind} ${posSource.tenant}, is behind an ODBC gateway, through which nothing is written: the system that owns it fills it.`,
    }
  }
  return posLegacy === null
    ? { refusal: 'The service has no binding POS_LEGACY, which the point of sale of this kind needs.' }
    : {
        writer: openLegacyVendorWriter(
          createExecutor({ database: posLegacy, clock: systemClock }),
          posSource.tenant,
        ),
      }
}

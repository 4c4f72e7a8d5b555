import type { OperatorWorld } from '../../domain/operators/interface/world.ts'
import type { Meter } from '../../ports/platform/meter.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemClock, systemDeadline, systemRandom } from '../system.ts'
import { importTools, openImportWorld } from '../http/imports.ts'
import { createMoves } from '../../domain/placement/operators/moves.ts'
import { openMoves } from './moves.ts'
import { posDestination } from './pos/pos-destination.ts'
import { openStorage } from './all-storage.ts'
import type { Lifetime } from './world.ts'
import { backgroundOf, secretsOf } from './world.ts'

/** Assembles the ports for one request of an operator. */
export async function openOperatorWorld(env: Env, lifetime: Lifetime, meter: Meter): Promise<OperatorWorld> {
  const background = backgroundOf(lifetime)
  const storage = openStorage(env, meter, background)
  const secrets = await secretsOf(env)
  const tools = importTools(async () => secrets)
  return {
    operatorKeys: storage.operatorKeys,
    administration: storage.administration,
    overview: storage.overview,
    moves: createMoves({ ...openMoves(env, meter), background }),
    outbox: storage.outbox,
    sends: storage.sends,
    tenant: storage.tenant,
    audit: storage.audit,
    changes: storage.operatorChanges,
    whole: storage.whole,
    erasures: storage.erasures,
    restorePlaces: storage.restorePlaces,
    deletionPlaces: storage.deletionPlaces,
    backups: async () => (env.backups === null ? null : (await import('./backups.ts')).openBackups(env)),
    imports: (organization) =>
      openImportWorld(storage, organization, tools, () => posDestination(organization, env)),
    secrets,
    clock: systemClock,
    deadline: systemDeadline,
    random: systemRandom,
    background,
    log: consoleLog,
  }
}

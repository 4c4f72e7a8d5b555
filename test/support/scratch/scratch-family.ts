import { openFamily, type Family } from '../../../adapters/durable-object/object/family.ts'
import type { FamilyNamespace, FamilyObject, FamilyPlace } from '../../../adapters/durable-object/index.ts'
import { migrationsAtOnce } from '../databases/migrations-at-once.ts'
import type { Migration } from '../../../adapters/sqlite/migration.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { OutboxRef } from '../../../ports/outbox.ts'
import { openObjectDatabase } from './scratch-object.ts'

/** An object in this process: the real code on Node's SQLite, with an alarm that rings when a test calls it. */
export interface ScratchFamily {
  readonly database: ReturnType<typeof openObjectDatabase>
  /** The object's present instance. */
  object(): Family
  /**
   * Evicts the instance from memory. The next call opens the object again, with the migrations of this version of the
   * service.
   */
  evict(migrations?: readonly Migration[]): void
  /** How often the object was opened. */
  opens(): number
  /** When the alarm is set to ring; null: it is not set. */
  alarmAtMs(): number | null
  /** Rings the alarm. Throws when it is not set. */
  ring(): Promise<void>
  /** The entries that were handed over, a list for each time. */
  readonly handedOver: (readonly OutboxRef[])[]
  /** The names of the logged events. */
  readonly logged: string[]
}

export interface ScratchFamilyOptions {
  readonly clock: Clock
  /** The initial content of the object. Default: nothing. */
  readonly image?: Uint8Array
  readonly migrations?: readonly Migration[]
  /** Replaces the Worker, which by default accepts all entries. */
  readonly handOver?: (refs: readonly OutboxRef[]) => Promise<void>
  /** Called between two steps of bringing the schema up to date. */
  readonly breathe?: () => Promise<void>
}

export function openScratchFamily(options: ScratchFamilyOptions): ScratchFamily {
  const { clock, handOver = async () => undefined, breathe = async () => undefined } = options
  const database = openObjectDatabase(options.image)
  const handedOver: (readonly OutboxRef[])[] = []
  const logged: string[] = []
  let migrations = options.migrations ?? migrationsAtOnce()
  let alarmAtMs: number | null = null
  let family: Family | null = null
  let opens = 0
  const log = (event: string) => {
    logged.push(event)
  }
  const open = () => {
    opens += 1
    return openFamily({
      database,
      alarm: {
        set: (atMs) => {
          alarmAtMs = atMs
        },
        clear: () => {
          alarmAtMs = null
        },
      },
      alarmAtMs,
      clock,
      log: { info: log, error: log },
      migrations: { newest: migrations.at(-1)?.name ?? '', load: async () => migrations },
      breathe,
      handOver: async (refs) => {
        handedOver.push(refs)
        await handOver(refs)
      },
    })
  }
  return {
    database,
    object: () => (family ??= open()),
    evict(given = migrations) {
      family = null
      migrations = given
    },
    opens: () => opens,
    alarmAtMs: () => alarmAtMs,
    async ring() {
      if (alarmAtMs === null) throw new Error('The alarm is not set')
      alarmAtMs = null
      family ??= open()
      await family.ring()
    },
    handedOver,
    logged,
  }
}

/** A place, for tests in which it does not matter. */
export const somePlace: FamilyPlace = {
  familyId: 'family',
  generation: 1,
  region: null,
  jurisdiction: null,
}

/** A namespace whose stubs `open` returns; it is called for each new stub. */
export function namespaceOf(open: (name: string) => Partial<FamilyObject>): FamilyNamespace {
  return {
    idFromName: (name) => ({ name }),
    get: (id) => open((id as { readonly name: string }).name),
    jurisdiction: (jurisdiction) => namespaceOf((name) => open(`${jurisdiction}/${name}`)),
  }
}

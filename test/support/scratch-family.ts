import type { Family } from '../../adapters/durable-object/family.ts'
import { openFamily } from '../../adapters/durable-object/family.ts'
import type { FamilyNamespace, FamilyObject, FamilyPlace } from '../../adapters/durable-object/index.ts'
import { migrationTexts } from '../../adapters/durable-object/migration-texts.ts'
import type { Migration } from '../../adapters/durable-object/migration.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import { openObjectDatabase } from './scratch-object.ts'

/** An object in this process: the code of the real one on Node's SQLite, with an alarm that rings when a test says so. */
export interface ScratchFamily {
  readonly database: ReturnType<typeof openObjectDatabase>
  /** The object as it is in memory now. */
  object(): Family
  /** Lets it leave the memory; the next call opens it again, with the migrations of this version of the service. */
  evict(migrations?: readonly Migration[]): void
  /** How often it was opened. */
  opens(): number
  /** When the alarm is set to ring; null: it is not set. */
  alarmAtMs(): number | null
  /** Rings the alarm. Throws when it is not set. */
  ring(): Promise<void>
  /** What was handed over, one list for each time. */
  readonly handedOver: (readonly OutboxRef[])[]
  /** The names of what was logged. */
  readonly logged: string[]
}

export interface ScratchFamilyOptions {
  readonly clock: Clock
  /** What the object stores at first. Default: nothing. */
  readonly image?: Uint8Array
  readonly migrations?: readonly Migration[]
  /** Takes the place of a Worker that takes everything. */
  readonly handOver?: (refs: readonly OutboxRef[]) => Promise<void>
  /** Called between two steps of the schema. */
  readonly breathe?: () => Promise<void>
}

export function openScratchFamily(options: ScratchFamilyOptions): ScratchFamily {
  const { clock, handOver = async () => undefined, breathe = async () => undefined } = options
  const database = openObjectDatabase(options.image)
  const handedOver: (readonly OutboxRef[])[] = []
  const logged: string[] = []
  let migrations = options.migrations ?? migrationTexts()
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

/** A place that names nothing in particular. */
export const somePlace: FamilyPlace = {
  familyId: 'family',
  generation: 1,
  region: null,
  jurisdiction: null,
}

/** A namespace whose stubs are what `open` gives, in turn for each stub that is asked for. */
export function namespaceOf(open: (name: string) => Partial<FamilyObject>): FamilyNamespace {
  return {
    idFromName: (name) => ({ name }),
    get: (id) => open((id as { readonly name: string }).name),
    jurisdiction: (jurisdiction) => namespaceOf((name) => open(`${jurisdiction}/${name}`)),
  }
}

import type { Clock, Log } from '../../../../ports/platform.ts'
import type { SchemaPosition } from '../facts.ts'
import type { ObjectDatabase } from '../object-database.ts'
import type { Migration } from '../../../sqlite/migration.ts'
import { applyStep, isBehind, pendingSteps } from './schema-steps.ts'

/** No new step is begun after this long, in ms. A step is never cut short. */
const BUDGET_MS = 200

/** After how many ms the alarm continues the steps: soon when steps are left, later when a step failed. */
const GO_ON_AFTER_MS = 1_000
const TRY_AGAIN_AFTER_MS = 60_000

/** How late the alarm may be, in ms, before a call takes the steps that it was set for. */
const LATE_MS = 5_000

/** The migrations that this version of the service contains. */
export interface Migrations {
  /** The name of the last migration, known without loading their texts. */
  readonly newest: string
  load(): Promise<readonly Migration[]>
}

export interface BringUpTools {
  readonly database: ObjectDatabase
  readonly clock: Clock
  readonly log: Log
  readonly migrations: Migrations
  /** Yields to other calls of the object. The platform's clock may stand still until then. */
  readonly breathe: () => Promise<void>
  readonly position: SchemaPosition | null
}

/** Brings the schema of one object up to date, in bounded steps. */
export interface BringUp {
  /** Whether the object's schema is exactly this version's. */
  isExact(): boolean
  /** When the alarm should continue the steps, in ms since 1970; null: there is nothing to do. */
  goOnAtMs(): number | null
  /** Whether some tables of this migration may still be missing. */
  lacks(migration: string): boolean
  /**
   * Takes steps towards the schema of a later version of the service, for a bounded time. Never rejects. False: a step
   * failed.
   */
  advanceTo(migrations: readonly Migration[]): Promise<boolean>
  /**
   * Takes steps for a bounded time. Concurrent callers wait for the same steps. Never rejects, because an object can
   * serve with an older schema.
   */
  advance(): Promise<void>
  /**
   * Like `advance`, but only for the first calls after the instance has started, and when the alarm that should go on has
   * not rung. Returns whether steps were attempted.
   */
  advanceWhenDue(): Promise<boolean>
  /** To be called when the schema has been created, or removed (null). */
  changed(position: SchemaPosition | null): void
}

export function createBringUp(tools: BringUpTools): BringUp {
  const { database, clock, log, migrations, breathe } = tools
  let { position } = tools
  let goOnAtMs: number | null = null
  let running: Promise<void> | null = null
  let hasBegun = false

  const steps = async (all: readonly Migration[]): Promise<void> => {
    const startedMs = clock.nowMs()
    while (position !== null && clock.nowMs() - startedMs <= BUDGET_MS) {
      const [step] = pendingSteps(position, all)
      if (step === undefined) return
      applyStep(database, step)
      position = step.after
      await breathe()
    }
  }
  const report = (error: unknown) => {
    log.error('object_schema_step_failed', { migration: position?.tables ?? null }, error)
  }
  const isBehindNow = () => position !== null && isBehind(position, migrations.newest)
  const advance = async (): Promise<void> => {
    hasBegun = true
    if (!isBehindNow()) return
    let waitMs = GO_ON_AFTER_MS
    try {
      await steps(await migrations.load())
    } catch (error) {
      waitMs = TRY_AGAIN_AFTER_MS
      report(error)
    }
    goOnAtMs = isBehindNow() ? clock.nowMs() + waitMs : null
  }
  const together = (): Promise<void> => {
    running ??= advance().finally(() => {
      running = null
    })
    return running
  }
  return {
    isExact: () => position?.tables === migrations.newest && position.indexes === migrations.newest,
    goOnAtMs: () => goOnAtMs,
    lacks: (migration) => position !== null && position.tables < migration,
    async advanceTo(all) {
      try {
        await steps(all)
        return true
      } catch (error) {
        report(error)
        return false
      }
    },
    advance: together,
    async advanceWhenDue() {
      const isLate = goOnAtMs !== null && clock.nowMs() >= goOnAtMs + LATE_MS
      const isDue = running !== null || isLate || (!hasBegun && isBehindNow())
      if (isDue) await together()
      return isDue
    },
    changed(given) {
      position = given
      goOnAtMs = null
    },
  }
}

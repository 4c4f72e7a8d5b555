import { ElsewhereError, PausedError } from '../../../domain/placement/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { isPlainRead } from '../statement/executor.ts'
import { sql } from '../statement/sql.ts'
import { nowOf } from '../write/write-clock.ts'

const lookUp = template(sql<{ readonly isPlaced: number }>`
  select 1 as "isPlaced" from placed_organizations where organization_id = ${slot('organizationId')}`)

const refuse = template(sql`
  insert into refused_writes (organization_id, now)
  select ${slot('organizationId')}, ${slot('now')}
  where exists (select 1 from placed_organizations where organization_id = ${slot('organizationId')})
    or exists (select 1 from write_pauses where organization_id = ${slot('organizationId')})`)

/**
 * Runs batches of one organization on the shared database, and refuses them in the same transaction when the organization
 * lives elsewhere (`ElsewhereError`), or when the batch writes and the organization's writes are paused (`PausedError`).
 */
export function guardedExecutor(executor: Executor, clock: Clock, organizationId: string): Executor {
  const refusing = refusingExecutor(executor)
  return {
    async batch(statements) {
      const isRead = statements.every(({ sql: text }) => isPlainRead(text))
      const guard: Statement = isRead
        ? bind(lookUp, { organizationId })
        : bind(refuse, { organizationId, now: nowOf(clock) })
      const [verdict, ...results] = await refusing.batch([guard, ...statements])
      if (isRead && verdict?.rows.length !== 0) throw elsewhere()
      return results
    },
  }
}

/** Runs batches whose statements look for themselves whether they are refused. */
export function refusingExecutor(executor: Executor): Executor {
  return {
    async batch(statements) {
      try {
        return await executor.batch(statements)
      } catch (error) {
        throw refusalOf(error) ?? error
      }
    },
  }
}

/** The refusal that a trigger of migration 0019 raised; null: the batch failed for another reason. */
function refusalOf(cause: unknown): Error | null {
  const text = String(cause)
  if (text.includes('placement: elsewhere')) return elsewhere(cause)
  return text.includes('placement: paused') ? new PausedError('Its writes are paused.', { cause }) : null
}

/** The refusal of an organization that this database does not hold. */
export function elsewhere(cause?: unknown): ElsewhereError {
  return new ElsewhereError('The organization lives in another database.', { cause })
}

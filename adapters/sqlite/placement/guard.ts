import { ElsewhereError, PausedError } from '../../../domain/placement/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { readsAlone } from '../statement/reads-alone.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { PlacedText } from './family-row.ts'
import { placedOrganization, placedText } from './family-row.ts'

/** Whose rows a batch is about: organizations, the organization of a key, or the one of an outbox entry. */
export type Subject =
  { readonly organizationIds: readonly string[] } | { readonly keyId: string } | { readonly outboxId: string }

/** Gives the executor for batches about somebody. */
export type Guard = (subject: Subject) => Executor

/** For a database that holds whatever it is asked about, or whose executor knows by itself what it does not hold. */
export function unguarded(executor: Executor): Guard {
  return () => executor
}

/**
 * For the shared database: refuses a batch, in the same transaction, when an organization that it is about lives elsewhere
 * (`ElsewhereError`), or when it writes and the writes of such an organization are paused (`PausedError`).
 */
export function placementGuard(executor: Executor, clock: Clock): Guard {
  const refusing = refusingExecutor(executor)
  return (subject) => ({
    async batch(statements) {
      const isRead = readsAlone(statements)
      const { read, write, values } = guardOf(subject)
      const guard = isRead ? bind(read, values) : bind(write, { ...values, now: toInstant(clock.nowMs()) })
      const [verdict, ...results] = await refusing.batch([guard, ...statements])
      const place = verdict?.rows[0]?.place
      if (isRead && place !== undefined) throw elsewhere(place as PlacedText)
      return results
    },
  })
}

/** Runs batches whose statements see to the guard themselves. */
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
  if (text.includes('placement: elsewhere')) return new ElsewhereError(null, { cause })
  return text.includes('placement: paused') ? new PausedError({ cause }) : null
}

/** The refusal of an organization that this database does not hold, with its place. */
export function elsewhere(place: PlacedText): ElsewhereError {
  return new ElsewhereError(placedOrganization(place))
}

interface GuardTemplates {
  readonly read: Template
  readonly write: Template
}

/** Statements over the organizations that a select names. The one for writes raises; the one for reads gives a row. */
function guardFor(organizations: RawBuilder<unknown>): GuardTemplates {
  const refused = sql`from (${organizations}) as subject`
  const isPlaced = sql`exists (select 1 from placed_organizations as p where p.organization_id = subject.id)`
  const isPaused = sql`exists (select 1 from write_pauses as w where w.organization_id = subject.id)`
  return {
    read: template(sql`select ${placedText} as place ${refused}
      join placed_organizations as p on p.organization_id = subject.id
      join families as f on f.family_id = p.family_id limit 1`),
    write: template(sql`insert into refused_writes (organization_id, now)
      select subject.id, ${slot('now')} ${refused} where ${isPlaced} or ${isPaused}`),
  }
}

const ofOrganizations = guardFor(sql`select value as id from json_each(${slot('organizationIds')})`)
const ofKey = guardFor(sql`select organization_id as id from api_keys where key_id = ${slot('keyId')}
  union all select organization_id from placed_keys where key_id = ${slot('keyId')}`)
const ofEntry = guardFor(sql`select organization_id as id from outbox where outbox_id = ${slot('outboxId')}`)

function guardOf(subject: Subject): GuardTemplates & { readonly values: Readonly<Record<string, string>> } {
  if ('keyId' in subject) return { ...ofKey, values: subject }
  if ('outboxId' in subject) return { ...ofEntry, values: subject }
  return { ...ofOrganizations, values: { organizationIds: JSON.stringify(subject.organizationIds) } }
}

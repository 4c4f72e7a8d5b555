import { sql } from 'kysely'
import type {
  FinishedStep,
  RunState,
  StepEffect,
  StepOutcome,
} from '../../../ports/messaging/outbox-store.ts'
import type { Template } from '../statement/compiler.ts'
import type { JsonText } from '../database/json-text.ts'
import { parsed } from '../database/json-text.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import type { HeldEntry } from './settle.ts'
import { heldRow } from './settle.ts'
import { recordStatements } from './send-log.ts'
import { advanceClock } from '../write/write-clock.ts'

const organization = slot('organizationId')
const isHeld = sql`exists (select 1 from outbox where ${heldRow})`
const writeTime = sql`(select clock_at from organizations where organization_id = ${organization})`

/** A run of an automation without steps is completed as soon as it begins. */
const begin = template(sql`
  insert into automation_runs (organization_id, run_id, automation_id, contact_id, status, current_step, step_count,
    started_at, completed_at, updated_at, steps)
  select a.organization_id, ${slot('outboxId')}, a.automation_id, ${slot('contactId')},
    case when a.step_count = 0 then 'completed' else 'running' end, case when a.step_count > 0 then 1 end,
    a.step_count, ${slot('now')}, case when a.step_count = 0 then ${slot('now')} end, ${writeTime}, a.steps
  from automations as a
  where a.organization_id = ${organization} and a.automation_id = ${slot('automationId')} and ${isHeld}
  on conflict (organization_id, run_id) do update set
    status = 'running', failure_reason = null, updated_at = excluded.updated_at
  where automation_runs.status = 'failed'`)

const readRun = template(sql<{
  readonly status: string
  readonly current_step: number | null
  readonly steps: JsonText<unknown> | null
}>`
  select status, current_step, steps from automation_runs
  where organization_id = ${organization} and run_id = ${slot('outboxId')} and ${isHeld}`)

/**
 * Begins a run, or finds the one that was begun before. Null: the lease has been lost, or the automation does not
 * exist.
 */
export async function startRun(
  executor: Executor,
  held: HeldEntry,
  of: { readonly automationId: string; readonly contactId: string | null },
  now: string,
): Promise<RunState | null> {
  const values = { ...held, ...of, now }
  const [, , found] = await resultsOf(executor, [
    bind(advanceClock, values),
    bind(begin, values),
    bind(readRun, values),
  ])
  const row = found.rows[0]
  if (row === undefined) return null
  return {
    status: row.status,
    nextStep: row.current_step ?? 1,
    steps: row.steps === null ? [] : parsed(row.steps),
  }
}

/** True while the lease is valid and the run's next step is exactly this one. */
const isAtStep = sql`${isHeld} and exists (select 1 from automation_runs as r where r.organization_id = ${organization}
  and r.run_id = ${slot('outboxId')} and r.status = 'running' and r.current_step = ${slot('step')})`

const addToList = template(sql`
  insert into list_members (organization_id, list_id, contact_id, added_at, updated_at)
  select l.organization_id, l.list_id, c.contact_id, ${slot('now')}, ${writeTime}
  from contact_lists as l
    join contacts as c on c.organization_id = l.organization_id and c.contact_id = ${slot('contactId')}
  where l.organization_id = ${organization} and l.list_id = ${slot('listId')} and l.type = 'static' and ${isAtStep}
  on conflict (organization_id, list_id, contact_id) do nothing`)
const isOnList = sql`exists (select 1 from list_members where organization_id = ${organization}
  and list_id = ${slot('listId')} and contact_id = ${slot('contactId')})`

const hasTag = sql`exists (select 1 from json_each(contacts.tags) where value = ${slot('tag')})`
const addTag = template(sql`
  update contacts set tags = json_insert(tags, '$[#]', ${slot('tag')}), updated_at = ${writeTime}
  where organization_id = ${organization} and contact_id = ${slot('contactId')} and not ${hasTag} and ${isAtStep}`)
const isTagged = sql`exists (select 1 from contacts where organization_id = ${organization}
  and contact_id = ${slot('contactId')} and ${hasTag})`

/** The SQL that writes a step's effect, and the SQL condition that is true once the effect is stored. */
const effects = {
  none: { write: null, advance: advance(sql`true`) },
  add_to_list: { write: addToList, advance: advance(isOnList) },
  add_tag: { write: addTag, advance: advance(isTagged) },
} as const satisfies Record<
  StepEffect['kind'],
  { readonly write: Template | null; readonly advance: Template }
>

/** Moves the run on from this step, unless that has happened already. The last step completes the run. */
function advance(cameAbout: typeof isHeld): Template {
  return template(sql`
    update automation_runs set current_step = min(current_step + 1, step_count),
      status = case when current_step >= step_count then 'completed' else status end,
      completed_at = case when current_step >= step_count then ${slot('now')} end, updated_at = ${writeTime}
    where organization_id = ${organization} and run_id = ${slot('outboxId')} and status = 'running'
      and current_step = ${slot('step')} and ${cameAbout} and ${isHeld}`)
}

/** Renews the lease. If the step waited, that has ended. */
const renew = template(sql`
  update outbox set next_attempt_at = ${slot('until')}, waiting_since = null where ${heldRow}`)

const readStep = template(sql<{ readonly held: number; readonly done: number }>`
  select ${isHeld} as held, exists (select 1 from automation_runs
    where organization_id = ${organization} and run_id = ${slot('outboxId')}
      and (current_step > ${slot('step')} or status = 'completed')) as done`)

/** Saves a step with its effect, in one batch. */
export async function finishStep(
  executor: Executor,
  held: HeldEntry,
  { step, effect, sends, leaseUntil }: FinishedStep,
  now: string,
): Promise<StepOutcome> {
  const { write, advance: moveOn } = effects[effect.kind]
  const values: Record<string, BoundValue> = { ...held, ...effect, step, now, until: leaseUntil }
  const results = await executor.batch([
    ...recordStatements(held.organizationId, sends),
    bind(advanceClock, values),
    ...(write === null ? [] : [bind(write, values)]),
    bind(moveOn, values),
    bind(renew, values),
    bind(readStep, values),
  ])
  const state = results.at(-1)?.rows[0]
  if (state?.done === 1) return 'saved'
  return state?.held === 1 ? 'impossible' : 'lost'
}

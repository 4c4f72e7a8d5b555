import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely'
import type { FinishedStep, RunState, StepEffect, StepOutcome } from '../../../ports/messaging.ts'
import { bind, db, eb, slot, template, type Template } from '../statement/compiler.ts'
import type { Database } from '../database/database.ts'
import { parsed } from '../database/json-text.ts'
import { resultsOf, type BoundValue, type Executor } from '../statement/executor.ts'
import { excluded, jsonEach, one } from '../statement/words.ts'
import { advanceClock, writtenAt } from '../write/write-clock.ts'
import { endStatements } from './send-log.ts'
import { heldRow, isHeld, type HeldEntry } from './settle.ts'

const organizationId = slot<string>('organizationId')
type Run = Database['automation_runs']
const runs = expressionBuilder<Database, 'automation_runs'>()
const thisRun = runs.and({ organization_id: organizationId, run_id: slot('outboxId') })

/** A run of an automation without steps is completed as soon as it begins. */
const begin = template(
  db
    .insertInto('automation_runs')
    .columns([
      ...(['organization_id', 'run_id', 'automation_id', 'contact_id', 'status', 'current_step'] as const),
      ...(['step_count', 'started_at', 'completed_at', 'updated_at', 'steps'] as const),
    ])
    .expression(
      db
        .selectFrom('automations as a')
        .select(({ ref }) => [
          ref('a.organization_id').as('organization_id'),
          slot('outboxId').as('run_id'),
          ref('a.automation_id').as('automation_id'),
          slot('contactId').as('contact_id'),
          sql`iif(${ref('a.step_count')} = 0, 'completed', 'running')`.as('status'),
          sql`iif(${ref('a.step_count')} > 0, 1, null)`.as('current_step'),
          ref('a.step_count').as('step_count'),
          slot('now').as('started_at'),
          sql`iif(${ref('a.step_count')} = 0, ${slot('now')}, null)`.as('completed_at'),
          writtenAt.as('updated_at'),
          ref('a.steps').as('steps'),
        ])
        .where('a.organization_id', '=', organizationId)
        .where('a.automation_id', '=', slot('automationId'))
        .where(isHeld),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'run_id'])
        .doUpdateSet({ ...excluded(['updated_at']), status: sql.lit('running'), failure_reason: sql`null` })
        .where('automation_runs.status', '=', sql.lit('failed')),
    ),
)

const readRun = template(
  db.selectFrom('automation_runs').select(['status', 'current_step', 'steps']).where(thisRun).where(isHeld),
)

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
const isAtStep = eb.and([
  isHeld,
  eb.exists(
    db
      .selectFrom('automation_runs')
      .select(one)
      .where(thisRun)
      .where('status', '=', sql.lit('running'))
      .where('current_step', '=', slot('step')),
  ),
])

const addToList = template(
  db
    .insertInto('list_members')
    .columns(['organization_id', 'list_id', 'contact_id', 'added_at', 'updated_at'])
    .expression(
      db
        .selectFrom('contact_lists as l')
        .innerJoin('contacts as c', (join) =>
          join
            .onRef('c.organization_id', '=', 'l.organization_id')
            .on('c.contact_id', '=', slot('contactId')),
        )
        .select(['l.organization_id', 'l.list_id', 'c.contact_id'])
        .select([slot('now').as('added_at'), writtenAt.as('updated_at')])
        .where('l.organization_id', '=', organizationId)
        .where('l.list_id', '=', slot('listId'))
        .where('l.type', '=', sql.lit('static'))
        .where(isAtStep),
    )
    .onConflict((conflict) => conflict.columns(['organization_id', 'list_id', 'contact_id']).doNothing()),
)
const isOnList = eb.exists(
  db
    .selectFrom('list_members')
    .select(one)
    .where('organization_id', '=', organizationId)
    .where('list_id', '=', slot('listId'))
    .where('contact_id', '=', slot('contactId')),
)

const contacts = expressionBuilder<Database, 'contacts'>()
const thisContact = contacts.and({ organization_id: organizationId, contact_id: slot('contactId') })
const hasTag = contacts.exists(
  db
    .selectFrom(jsonEach<string, 'held'>(contacts.ref('contacts.tags'), 'held'))
    .select(one)
    .where('held.value', '=', slot('tag')),
)
const addTag = template(
  db
    .updateTable('contacts')
    .set(({ fn, ref }) => ({
      tags: fn('json_insert', [ref('tags'), sql.lit('$[#]'), slot('tag')]),
      updated_at: writtenAt,
    }))
    .where(thisContact)
    .where(contacts.not(hasTag))
    .where(isAtStep),
)
const isTagged = eb.exists(db.selectFrom('contacts').select(one).where(thisContact).where(hasTag))

/** The SQL that writes a step's effect, and the SQL condition that is true once the effect is stored. */
const effects = {
  none: { write: null, advance: advance(eb.lit(true)) },
  add_to_list: { write: addToList, advance: advance(isOnList) },
  add_tag: { write: addTag, advance: advance(isTagged) },
} as const satisfies Record<
  StepEffect['kind'],
  { readonly write: Template | null; readonly advance: Template }
>

/** Moves the run on from this step, unless that has happened already. The last step completes the run. */
function advance(cameAbout: Expression<SqlBool>): Template {
  const isLast = runs('current_step', '>=', runs.ref('step_count'))
  return template(
    db
      .updateTable('automation_runs')
      .set(({ ref }) => ({
        current_step: sql<number>`min(${ref('current_step')} + 1, ${ref('step_count')})`,
        status: sql<Run['status']>`iif(${isLast}, 'completed', ${ref('status')})`,
        completed_at: sql<string | null>`iif(${isLast}, ${slot('now')}, null)`,
        updated_at: writtenAt,
      }))
      .where(thisRun)
      .where('status', '=', sql.lit('running'))
      .where('current_step', '=', slot('step'))
      .where(cameAbout)
      .where(isHeld),
  )
}

/** Renews the lease. If the step waited, that has ended. */
const renew = template(
  db
    .updateTable('outbox')
    .set({ next_attempt_at: slot('until'), waiting_since: sql`null` })
    .where(heldRow),
)

const readStep = template(
  db.selectNoFrom(({ exists }) => [
    isHeld.as('held'),
    exists(
      db
        .selectFrom('automation_runs')
        .select(one)
        .where(thisRun)
        .where(({ eb, or }) =>
          or([eb('current_step', '>', slot('step')), eb('status', '=', sql.lit('completed'))]),
        ),
    ).as('done'),
  ]),
)

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
    ...endStatements(held.organizationId, sends),
    bind(advanceClock, values),
    ...(write === null ? [] : [bind<unknown>(write, values)]),
    bind(moveOn, values),
    bind(renew, values),
    bind(readStep, values),
  ])
  const state = results.at(-1)?.rows[0]
  if (state?.done === 1) return 'saved'
  return state?.held === 1 ? 'impossible' : 'lost'
}

import {
  expressionBuilder,
  sql,
  type Expression,
  type SqlBool,
  type RawBuilder,
  type Selectable,
} from 'kysely'
import type {
  FinishedStep,
  RunState,
  StepEffect,
  StepOutcome,
  Admission,
  AutomationMessage,
} from '../../../ports/outbox.ts'
import {
  bind,
  db,
  eb,
  slot,
  template,
  atMost,
  excluded,
  jsonEach,
  type Template,
  advanceClock,
  writtenAt,
  boundedNow,
  shifted,
  exists,
} from '../statement/compiler.ts'
import { parsed, type Database } from '../statement/database.ts'
import { resultsOf, type BoundValue, type Executor, type Statement } from '../statement/executor.ts'
import { changedContactsStatement } from './webhooks.ts'
import { endStatements, beginning } from './send-log.ts'
import { heldRow, isHeld, type HeldEntry } from './delivery.ts'

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
  exists(
    db
      .selectFrom('automation_runs')
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
const isOnList = exists(
  db
    .selectFrom('list_members')
    .where('organization_id', '=', organizationId)
    .where('list_id', '=', slot('listId'))
    .where('contact_id', '=', slot('contactId')),
)

const contacts = expressionBuilder<Database, 'contacts'>()
const thisContact = contacts.and({ organization_id: organizationId, contact_id: slot('contactId') })
const hasTag = exists(
  db
    .selectFrom(jsonEach<string, 'held'>(contacts.ref('contacts.tags'), 'held'))
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
const isTagged = exists(db.selectFrom('contacts').where(thisContact).where(hasTag))

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
  db.selectNoFrom([
    isHeld.as('held'),
    exists(
      db
        .selectFrom('automation_runs')
        .where(thisRun)
        .where(({ eb, or }) =>
          or([eb('current_step', '>', slot('step')), eb('status', '=', sql.lit('completed'))]),
        ),
    ).as('done'),
  ]),
)

function taggedStatement(organizationId: string, contactId: string, now: string): Statement {
  const ids = JSON.stringify([contactId])
  return changedContactsStatement(organizationId, { event: 'contact.updated', ids, now })
}

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
    ...(effect.kind === 'add_tag' ? [taggedStatement(held.organizationId, effect.contactId, now)] : []),
    bind(moveOn, values),
    bind(renew, values),
    bind(readStep, values),
  ])
  const state = results.at(-1)?.rows[0]
  if (state?.done === 1) return 'saved'
  return state?.held === 1 ? 'impossible' : 'lost'
}

const messageId = slot<string>('messageId')
/** Later than every instant that is stored. */
const NEVER = sql.lit('9999-12-31T23:59:59.999Z')

/** The present instant, what this message was told before, and the messages among which it has to wait. */
interface Scope {
  readonly now: { readonly at: string }
  readonly own: Pick<Selectable<Database['automation_messages']>, 'at' | 'waits_until' | 'is_counted'>
  readonly m: Database['automation_messages']
}
const scope = expressionBuilder<Scope, keyof Scope>()
const now = scope.ref('now.at')

const messages = db.selectFrom('automation_messages as m').where('m.organization_id', '=', organizationId)

/**
 * The first instant, from now on, at which a message is within a bound: when so many of the others have left the window
 * that fewer than `most` are in it. A message that asks for the first time comes after all that were sent and all that
 * wait. When its time has come, it comes after those that were sent, and those that have waited for longer and whose
 * time has come as well. It never has to wait longer than it was told.
 * @param toldAt the instant that the message was told before; null: none
 * @param counted the messages that count
 * @param window the length of the window, as a modifier of SQLite's `strftime`
 */
function earliest(
  toldAt: Expression<string | null>,
  counted: typeof messages,
  most: Expression<number>,
  window: string,
): RawBuilder<string> {
  // The clocks of machines differ: what another one has sent may be noted as some minutes later than this one's present.
  const soon = shifted(now, '+10 minutes')
  const before = counted
    .select(({ ref }) => shifted(ref('m.at'), window).as('at'))
    .where('m.message_id', '<>', messageId)
    .where('m.at', '<=', sql<string>`iif(${toldAt} <= ${now}, ${soon}, ${NEVER})`)
    .where(
      scope.or([
        scope('m.is_sent', '=', sql.lit(1)),
        scope(toldAt, 'is', null),
        scope(toldAt, '>', now),
        scope.and([
          scope('m.at', '<=', now),
          scope(
            scope.refTuple('m.waits_until', 'm.message_id'),
            '<',
            scope.tuple(scope.ref('own.waits_until'), messageId),
          ),
        ]),
      ]),
    )
    .orderBy('m.at', 'desc')
    .limit(sql.lit(1))
    .offset(sql<number>`+${most} - 1`)
  return sql`min(max(${now}, coalesce(${before}, ${now})), iif(${toldAt} > ${now}, ${toldAt}, ${NEVER}))`
}

const forRecipient = earliest(
  scope.ref('own.at'),
  messages.where('m.recipient', '=', slot('recipient')),
  slot('recipientMax'),
  '+24 hours',
)
const forOrganization = earliest(
  sql`iif(${scope.ref('own.is_counted')}, ${scope.ref('own.at')}, null)`,
  messages.where('m.is_counted', '=', sql.lit(1)),
  slot('organizationMax'),
  '+1 hour',
)

/** Gives the message its instant, unless that is later than it may wait for. */
const place = template(
  db
    .insertInto('automation_messages')
    .columns(['organization_id', 'message_id', 'recipient', 'at', 'waits_until', 'is_sent', 'is_counted'])
    .expression(
      db
        .with(
          (now) => now('now').materialized(),
          () => db.selectNoFrom(boundedNow.as('at')),
        )
        .with(
          (own) => own('own').materialized(),
          () => messages.select(['at', 'waits_until', 'is_counted']).where('message_id', '=', messageId),
        )
        .with(
          (first) => first('for_recipient').materialized(),
          (given) =>
            given
              .selectFrom('now')
              .leftJoin('own', (join) => join.onTrue())
              .select(forRecipient.as('first')),
        )
        .with(
          (placed) => placed('placed').materialized(),
          (given) =>
            given.selectFrom(['now', 'for_recipient as r']).select(({ eb, ref }) => [
              sql<string>`iif(${ref('r.first')} > ${now}, ${ref('r.first')}, (${given
                .selectFrom('now')
                .leftJoin('own', (join) => join.onTrue())
                .select(forOrganization.as('first'))}))`.as('at'),
              eb('r.first', '<=', now).as('is_counted'),
            ]),
        )
        .selectFrom(['placed', 'now'])
        .select([organizationId.as('organization_id'), messageId.as('message_id')])
        .select([slot('recipient').as('recipient'), 'placed.at', slot('waitsUntil').as('waits_until')])
        .select(({ eb, ref }) => eb('placed.at', '<=', ref('now.at')).as('is_sent'))
        .select('placed.is_counted')
        .where('placed.at', '<=', slot<string>('waitsUntil'))
        .where(isHeld),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'message_id'])
        .doUpdateSet(excluded(['at', 'waits_until', 'is_sent', 'is_counted'])),
    )
    .returning(['at', 'is_counted as isCounted', 'is_sent as isSent']),
)

/** The maximum number of messages that are forgotten with each one. More than one, so that none are left over. */
const FORGOTTEN_MAX = 20

/** Forgets messages that no window contains any more. */
const forget = template(
  db
    .deleteFrom('automation_messages')
    .where('organization_id', '=', organizationId)
    .where(
      'message_id',
      'in',
      messages
        .select('m.message_id')
        .where('m.is_counted', 'in', [sql.lit(0), sql.lit(1)])
        .where('m.at', '<=', shifted(boundedNow, '-24 hours'))
        .limit(atMost('forgottenMax')),
    ),
)

/** A message that counts as sent is about to be handed over. */
const beginSend = beginning(
  eb.and([
    isHeld,
    exists(messages.where('m.message_id', '=', messageId).where('m.is_sent', '=', sql.lit(1))),
  ]),
)

const renewLease = template(db.updateTable('outbox').set('next_attempt_at', slot('until')).where(heldRow))

/** Asks to send a message of an automation, as `TenantOutbox.admit` says, in one batch. */
export async function admit(
  executor: Executor,
  held: HeldEntry,
  { leaseUntil, send, ...message }: AutomationMessage,
  now: string,
): Promise<Admission> {
  const values = { ...held, ...message, now, until: leaseUntil, forgottenMax: FORGOTTEN_MAX }
  const [placed] = await resultsOf(executor, [
    bind(place, values),
    ...beginSend(send, values),
    bind(forget, values),
    bind(renewLease, values),
  ])
  const row = placed.rows[0]
  if (row === undefined) return { kind: 'over', bound: null, until: null }
  if (row.isSent === 1) return { kind: 'admitted' }
  return { kind: 'over', bound: row.isCounted === 1 ? 'organization' : 'recipient', until: row.at }
}

import { expressionBuilder, sql, type Expression, type RawBuilder, type Selectable } from 'kysely'
import type { Admission, AutomationMessage } from '../../../ports/messaging.ts'
import type { Database } from '../database/database.ts'
import { atMost, bind, db, eb, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { excluded, one } from '../statement/words.ts'
import { boundedNow, shifted } from '../write/write-clock.ts'
import { heldRow, isHeld, type HeldEntry } from './settle.ts'
import { beginning } from './send-log.ts'

const organizationId = slot<string>('organizationId')
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
  // Messages of callers whose clocks are ahead of this one's were sent before this instant.
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
    eb.exists(messages.select(one).where('m.message_id', '=', messageId).where('m.is_sent', '=', sql.lit(1))),
  ]),
)

const renew = template(db.updateTable('outbox').set('next_attempt_at', slot('until')).where(heldRow))

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
    bind(renew, values),
  ])
  const row = placed.rows[0]
  if (row === undefined) return { kind: 'over', bound: null, until: null }
  if (row.isSent === 1) return { kind: 'admitted' }
  return { kind: 'over', bound: row.isCounted === 1 ? 'organization' : 'recipient', until: row.at }
}

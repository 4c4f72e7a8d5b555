import { RECIPIENT_DAILY_MAX } from '../../../domain/forms/message-text.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Row } from '../engine/changes.ts'
import { AUTOMATION_HOURLY } from '../setting.ts'
import { isAtHome, textOf, type ChangeCheck, type HomeChange, type Watch } from './watch.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How far the clocks of the places in which an organization has lived may be apart, in ms. */
const APART_MAX_MS = 200_000

/**
 * Checks the messages that automations were allowed to send, against a second, naive implementation of the bounds: none
 * is sent over a bound, none waits without one, and none is forgotten while it counts.
 */
export function createMessageChecks({ stored, nowMs, violated, happened }: Watch): ChangeCheck {
  const forgotten = ({ organizationId, before }: HomeChange, changes: readonly HomeChange[]): void => {
    const id = textOf(before?.message_id)
    const isSetApart = changes.some(
      ({ before: was, after }) => was === null && textOf(after?.message_id).startsWith(`${id} before `),
    )
    const isPast = Date.parse(textOf(before?.at)) <= nowMs() - DAY_MS + APART_MAX_MS
    if (!isSetApart && !isPast)
      violated('a message counts as long as its window lasts', `${organizationId}: ${JSON.stringify(before)}`)
  }
  /** The other messages of an organization with an instant within a window that ends at `at`, or after it. */
  const countIn = (own: Row, windowMs: number, isCounted: (row: Row) => boolean): number => {
    const from = toInstant(Date.parse(textOf(own.at)) - windowMs)
    return stored
      .rowsOf(textOf(own.organization_id), 'automation_messages')
      .filter((row) => row.message_id !== own.message_id && textOf(row.at) > from && isCounted(row)).length
  }
  const isToSame = (own: Row) => (row: Row) => row.recipient === own.recipient
  const sent = (own: Row): void => {
    const isSent = (row: Row) => row.is_sent === 1
    const ofRecipient = countIn(own, DAY_MS, (row) => isSent(row) && isToSame(own)(row))
    const ofOrganization = countIn(own, HOUR_MS, isSent)
    if (ofRecipient >= RECIPIENT_DAILY_MAX || ofOrganization >= AUTOMATION_HOURLY)
      violated(
        'automations send no more than they may',
        `after ${ofRecipient} to the recipient and ${ofOrganization} in all: ${JSON.stringify(own)}`,
      )
  }
  const waits = (own: Row): void => {
    happened('a message of an automation waits for a bound')
    const present = { ...own, at: toInstant(nowMs() - APART_MAX_MS) }
    const ofRecipient = countIn(present, DAY_MS, isToSame(own))
    const ofOrganization = countIn(present, HOUR_MS, () => true)
    if (ofRecipient < RECIPIENT_DAILY_MAX && ofOrganization < AUTOMATION_HOURLY)
      violated(
        'no message waits without a bound',
        `after ${ofRecipient} to the recipient and ${ofOrganization} in all: ${JSON.stringify(own)}`,
      )
  }
  return (changes) => {
    const messages = changes.filter(isAtHome).filter(({ table }) => table === 'automation_messages')
    for (const change of messages) {
      const { before, after } = change
      if (after === null) forgotten(change, messages)
      else if (textOf(after.message_id).includes(' before ')) continue
      else if (after.is_sent === 1 && before?.is_sent !== 1) sent(after)
      else if (after.is_sent === 0) waits(after)
    }
  }
}

import { id, integer, nullable, oneOf, text, timestamp } from '../record/field.ts'
import { resource } from '../record/resource.ts'
import { accountStatuses } from './recurring-accounts.ts'

/** The maximum number of events of each kind in the details of an account (contract, POS rules 4). */
export const EVENTS_SHOWN_MAX = 24

const billingTypes = ['payment', 'refund', 'chargeback', 'adjustment', 'discount', 'unknown'] as const
const billingResults = ['success', 'failed', 'pending', 'unknown'] as const

const billingFields = {
  eventId: id(),
  occurredAt: timestamp(),
  type: oneOf(billingTypes),
  amountCents: nullable(integer()),
  result: nullable(oneOf(billingResults)),
}

const statusFields = {
  eventId: id(),
  occurredAt: timestamp(),
  fromStatus: nullable(oneOf(accountStatuses)),
  toStatus: oneOf(accountStatuses),
  reason: nullable(text()),
}

/**
 * These rows are imported for the details of accounts, which show the latest events. No route publishes the rows
 * themselves.
 */
export const posBillingEvents = resource({
  name: 'PosBillingEvent',
  collection: 'pos-billing-events',
  description: 'One thing that happened in the billing of a recurring account.',
  idField: 'eventId',
  fields: billingFields,
  hidden: { accountId: id() },
})

/** These rows are imported for the same purpose as `posBillingEvents`. */
export const posStatusEvents = resource({
  name: 'PosStatusEvent',
  collection: 'pos-status-events',
  description: 'A change of the status of a recurring account.',
  idField: 'eventId',
  fields: statusFields,
  hidden: { accountId: id() },
})

import { id, integer, nullable, oneOf, text, timestamp } from '../record/field.ts'
import { resource } from '../record/resource.ts'
import { accountStatuses } from './recurring-accounts.ts'

/** Most events of each kind that the details of an account show (contract, POS rules 4). */
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
 * Imported for the details of accounts, which show the latest of these events. No route publishes the rows themselves.
 */
export const billingEvents = resource({
  name: 'PosBillingEvent',
  collection: 'pos-billing-events',
  description: 'One thing that happened in the billing of a recurring account.',
  idField: 'eventId',
  fields: billingFields,
  hidden: { accountId: id() },
})

/** Imported for the same purpose as `billingEvents`. */
export const statusEvents = resource({
  name: 'PosStatusEvent',
  collection: 'pos-status-events',
  description: 'A change of the status of a recurring account.',
  idField: 'eventId',
  fields: statusFields,
  hidden: { accountId: id() },
})

import type { Terms } from './term.ts'

/** What a point of sale recorded. */
export const pointOfSale: Terms = {
  transactionId: ['Identifier of the transaction.', 'txn-20260519-0042'],
  lineItems: ['What was sold.'],
  lineId: ['Identifier of the line within the transaction.', '1'],
  productCode: ["The point of sale's code of the product.", 'WASH-DLX'],
  grossAmountCents: ['Amount of the line in cents before discount; null when unknown.', 1500],
  netAmountCents: ['Amount of the line in cents after discount; null when unknown.', 1200],
  tipCents: ['Tip in cents; null when unknown.', 200],
  paymentMethod: ['How it was paid; null when unknown.', 'card'],
  active: ['Whether the customer is active; null when unknown.', true],
  homeSiteCode: ['Code of the site that the customer mostly goes to.', 'RIV'],
  accountId: ['Identifier of the account.', 'acct-2210'],
  planCode: ["The point of sale's code of the plan.", 'UNL'],
  billingEvents: ['The latest 24 billing events, newest first.'],
  statusEvents: ['The latest 24 changes of status, newest first.'],
  eventId: ['Identifier of the event.', 'event-0009'],
  result: ['How it ended; null when unknown.', 'success'],
  fromStatus: ['The status before; null when unknown.', 'active'],
  toStatus: ['The status after.', 'suspended'],
}

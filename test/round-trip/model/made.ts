import type { JsonObject } from '../values/drawn.ts'
import { SENSITIVE_NAMES } from '../values/values.ts'
import type { Model, ModelRow } from './model-row.ts'

/** What a value is that the service makes of a row and the rows around it. */
type Rule = (row: ModelRow, model: Model, codes: boolean) => unknown

const DAY_MS = 86_400_000

const text = (value: unknown): string => String(value)
const dayMs = (day: unknown): number => Date.parse(`${text(day)}T00:00:00.000Z`)

function hidden(name: string): boolean {
  return name.startsWith('_') || name.startsWith('$') || SENSITIVE_NAMES.includes(name)
}

function withoutHidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHidden)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !hidden(name))
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutHidden(inner)]))
}

const answers: Rule = (row) => withoutHidden(row.answers)
const lowerCaseEmail: Rule = ({ email }) => (email === null ? null : text(email).toLowerCase())
const isEvent =
  (wanted: string): Rule =>
  ({ event }) =>
    Number(event === wanted)
const saleAmount: Rule = ({ event, amountCents }) => (event === 'sale' ? (amountCents ?? 0) : 0)

const canceledAt: Rule = ({ status, cancelDate }) => {
  if (status !== 'churned' || cancelDate === null) return null
  return text(cancelDate).length === 10 ? `${text(cancelDate)}T00:00:00.000Z` : cancelDate
}

/** The site of a membership's billing, else the one that made it. */
const siteOf =
  (name: 'Code' | 'Name'): Rule =>
  (row) => {
    const isBilled = row.billingSiteCode !== null || row.billingSiteName !== null
    return row[`${isBilled ? 'billing' : 'creation'}Site${name}`]
  }

const tenureDays: Rule = (row, model) => {
  const end = canceledAt(row, model, false)
  if (end === null || row.signupDate === null) return null
  const days = Math.floor((Date.parse(text(end)) - dayMs(row.signupDate)) / DAY_MS)
  return days < 0 ? null : days
}

function eventsOf(row: ModelRow, { rowsOf }: Model): readonly ModelRow[] {
  return rowsOf('billing-events').filter(({ membershipId }) => membershipId === row.membershipId)
}

/** The events of these types within so many days from the signup, oldest first. */
function firstEvents(
  row: ModelRow,
  model: Model,
  days: number,
  types: readonly string[],
): readonly ModelRow[] {
  if (row.signupDate === null) return []
  const startMs = dayMs(row.signupDate)
  return eventsOf(row, model)
    .filter(({ type }) => types.includes(text(type)))
    .filter(({ occurredAt }) => {
      const atMs = Date.parse(text(occurredAt))
      return atMs >= startMs && atMs < startMs + days * DAY_MS
    })
    .toSorted((left, right) => {
      const [a, b] = [left, right].map(
        ({ occurredAt, eventId }) => `${text(occurredAt)} ${text(eventId)}`,
      ) as [string, string]
      return a < b ? -1 : 1
    })
}

const discounts: Rule = (row, model) =>
  firstEvents(row, model, 30, ['discount']).map(({ discountName, discountCents, occurredAt }) => ({
    name: discountName,
    discountCents,
    occurredAt,
  }))

const payments = (row: ModelRow, model: Model) =>
  firstEvents(row, model, 365, ['payment', 'failed']).map(({ occurredAt, amountCents, type }) => ({
    occurredAt,
    amountCents,
    status: type === 'payment' ? 'paid' : 'failed',
  }))

const MONTHS: JsonObject = { month: 1, quarter: 3, year: 12 }

/** The instant of the n-th payment that is due, the first one on the day of the signup. */
function dueMs(signupDate: string, interval: unknown, nth: number): number {
  if (interval === 'week') return dayMs(signupDate) + nth * 7 * DAY_MS
  const [year = 0, month = 0, day = 0] = signupDate.split('-').map(Number)
  const months = year * 12 + month - 1 + nth * Number(MONTHS[text(interval)])
  const lastDay = new Date(0)
  lastDay.setUTCFullYear(Math.floor(months / 12), (months % 12) + 1, 0)
  return lastDay.setUTCDate(Math.min(day, lastDay.getUTCDate()))
}

const coverage: Rule = (row, model) => {
  const recordedPayments = payments(row, model).filter(({ status }) => status === 'paid').length
  if (row.signupDate === null || row.billingInterval === null)
    return { expectedPayments: null, recordedPayments, coveragePct: null, complete: false }
  const endMs = Math.min(
    Date.parse(text(canceledAt(row, model, false))),
    dayMs(row.signupDate) + 365 * DAY_MS,
  )
  let expectedPayments = 0
  while (dueMs(text(row.signupDate), row.billingInterval, expectedPayments) < endMs) expectedPayments += 1
  const share = Math.min(1, recordedPayments / expectedPayments)
  return {
    expectedPayments,
    recordedPayments,
    coveragePct: expectedPayments === 0 ? null : Math.round(share * 10_000) / 100,
    complete: recordedPayments >= expectedPayments,
  }
}

/** A setting of a form, which its line may leave out. */
const setting =
  (name: string): Rule =>
  (row) =>
    row[name] ?? null

const EVENTS_SHOWN = 24

const latestEvents =
  (kind: string, names: readonly string[]): Rule =>
  ({ accountId }, { rowsOf }) =>
    rowsOf(kind)
      .filter((event) => event.accountId === accountId)
      .toSorted((left, right) => {
        const order = text(right.occurredAt).localeCompare(text(left.occurredAt), 'en')
        return order === 0
          ? Buffer.compare(Buffer.from(text(right.eventId)), Buffer.from(text(left.eventId)))
          : order
      })
      .slice(0, EVENTS_SHOWN)
      .map((event) => Object.fromEntries(names.map((name) => [name, event[name]])))

/**
 * The fields that the service makes of others, by the name of the published resource, or of the collection for fields
 * that are compared and not published. They are written from the decisions about them, without the service's code.
 */
export const made: Readonly<Record<string, Rule | undefined>> = {
  'MarketingSignup.answers': answers,
  'FormSubmission.answers': answers,
  'SurveyResponse.answers': answers,
  'Form.requiresPassword': ({ password }) => password !== null,
  'Form.submissionLimitPerContact': setting('submissionLimitPerContact'),
  'Form.fields': setting('fields'),
  'Form.successTitle': setting('successTitle'),
  'Form.successMessage': setting('successMessage'),
  'Form.publicUrl': setting('publicUrl'),
  'Form.language': setting('language'),
  'Form.texts': setting('texts'),
  'Automation.stepCount': ({ steps }) => (steps as readonly unknown[]).length,
  'Purchase.items': ({ items }, _, codes) =>
    (items as readonly JsonObject[]).map(({ fulfillmentCodes, ...item }) =>
      codes ? { ...item, fulfillmentCodes } : item,
    ),
  'Review.organizationId': (_, { organizationId }) => organizationId,
  'Review.siteName': ({ siteId }, { rowsOf }) =>
    rowsOf('sites').find((site) => site.siteId === siteId)?.name ?? null,
  'CancellationRecord.siteCode': siteOf('Code'),
  'CancellationRecord.siteName': siteOf('Name'),
  'CancellationRecord.canceledAt': canceledAt,
  'CancellationRecord.tenureDays': tenureDays,
  'CancellationRecord.reason': ({ cancelReason }) => cancelReason,
  'CancellationRecord.signupDiscounts': discounts,
  'CancellationRecord.hadSignupDiscount': (row, model) =>
    eventsOf(row, model).length === 0 ? null : firstEvents(row, model, 30, ['discount']).length > 0,
  'CancellationRecord.firstYearPayments': payments,
  'CancellationRecord.firstYearPaymentCoverage': coverage,
  'PosRecurringAccountDetails.billingEvents': latestEvents('pos-billing-events', [
    'eventId',
    'occurredAt',
    'type',
    'amountCents',
    'result',
  ]),
  'PosRecurringAccountDetails.statusEvents': latestEvents('pos-status-events', [
    'eventId',
    'occurredAt',
    'fromStatus',
    'toStatus',
    'reason',
  ]),
  'contacts.emailKey': lowerCaseEmail,
  'pos-customers.emailKey': lowerCaseEmail,
  'cases.siteId': ({ site }) => (site as JsonObject).siteId,
  'link-events.day': ({ occurredAt }) => text(occurredAt).slice(0, 10),
  'link-events.clicks': isEvent('click'),
  'link-events.leads': isEvent('lead'),
  'link-events.sales': isEvent('sale'),
  'link-events.saleAmountCents': saleAmount,
  'memberships.isCancellation': (row, model) => canceledAt(row, model, false) !== null,
  'memberships.canceledAt': canceledAt,
  'memberships.siteCode': siteOf('Code'),
}

const ATTRIBUTION_MAX_LENGTH = 450

function attribution(value: unknown): unknown {
  const trimmed = Object.entries(value as Readonly<Record<string, string>>).map(([name, given]) => {
    const cut = given.trim().slice(0, ATTRIBUTION_MAX_LENGTH)
    return [name, cut.isWellFormed() ? cut : cut.slice(0, -1)] as const
  })
  return Object.fromEntries(trimmed.filter(([, given]) => given !== ''))
}

const oldestFirst = (value: unknown): unknown =>
  (value as readonly JsonObject[]).toSorted((left, right) =>
    text(left.timestamp).localeCompare(text(right.timestamp), 'en'),
  )

/** How values that imports bring into one form are stored, by their kind and field. */
const forms: Readonly<Record<string, (value: unknown) => unknown>> = {
  'form-submissions.attribution': attribution,
  'marketing-signups.attribution': attribution,
  'cases.history': oldestFirst,
  'cases.notes': oldestFirst,
}

/** A row with its values in the form in which the service keeps them. */
export function normalised(collection: string, row: JsonObject): ModelRow {
  const entries = Object.entries(row).map(
    ([name, value]) => [name, forms[`${collection}.${name}`]?.(value) ?? value] as const,
  )
  return Object.fromEntries(entries)
}

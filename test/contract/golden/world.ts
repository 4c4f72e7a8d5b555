import { expect } from 'vitest'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { sendImport } from '../../support/data/sent-import.ts'
import { fakeEmail, fakeSms } from '../../support/providers/jobs.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'
import { cancellationRecords, memberships, offerEvents, paymentEvents, surveyEvents } from './memberships.ts'
import { COUNT, extra, rowsOf, type Row } from './rows.ts'

// An organization with rows of every kind, imported as an operator does, and what must be served of it. What the
// service derives from other rows is computed here from those rows, as simply as can be.

const { pick, instant, reference, isNull } = extra

export const NOW = '2026-06-15T12:00:00.000Z'
export const OWNER = 'acme'
export const CHILD = 'acme-west'
const indexes = Array.from({ length: COUNT }, (_, index) => index)

const FIELDS = [
  { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
  { id: 'color', type: 'single_choice', label: 'Color', options: [{ value: 'red', label: 'Red' }] },
]

const latest = (times: readonly unknown[]) => (times as string[]).toSorted().at(-1) ?? null
const sum = (numbers: readonly unknown[]) =>
  (numbers as (number | null)[]).reduce<number>((total, each) => total + (each ?? 0), 0)

const sites = rowsOf('Site', [])
const purchases = rowsOf('Purchase', ['purchaseId'])
const contacts = rowsOf('Contact', [], (_, index) => ({
  email: index === 0 ? null : `${index % 4 === 1 ? 'Contact' : 'contact'}-${index % 6}@example.com`,
  phone: index === 0 ? null : `+12125550${100 + (index % 5)}`,
}))
const listMembers = indexes.map((index): Row => ({
  listId: `listId-0${index % 4}`,
  contactId: `contactId-${String((index * 5) % COUNT).padStart(2, '0')}`,
  // Two of each list were added at once.
  addedAt: instant('ListMember.addedAt', index % 8 < 4 ? index : index - 4),
}))
const formLines = rowsOf('Form', ['requiresPassword', 'headless'], (_, index) => ({
  fields:
    index === 3
      ? [...FIELDS, { id: 'picture', type: 'file', label: 'Picture' }]
      : FIELDS.slice(0, 1 + (index % 2)),
  password: index % 3 === 1 ? 'open sesame' : null,
  notificationEmails: index % 4 === 1 ? ['owner@example.com'] : [],
}))
const submissions = rowsOf('FormSubmission', ['formName'])
const signups = rowsOf('MarketingSignup', [])
const responses = rowsOf('SurveyResponse', [])
/** Answers with keys that no tenant is shown, at any depth. */
const withSecrets = (row: Row): Row => {
  const { nested, ...answers } = row.answers as { readonly nested: readonly Row[] }
  const more = nested.map((one) => ({ ...one, 'webhook url': 'planted', card_number: 'planted' }))
  return { ...row, answers: { ...answers, nested: more, apiKey: 'planted', _csrf: 'planted' } }
}
const vouchers = rowsOf('Voucher', ['redemptionCount', 'lastRedeemedAt'])
const redemptions = rowsOf('VoucherRedemption', [])
const groups = rowsOf('VoucherGroup', ['voucherCount', 'redeemedCount'])
const links = rowsOf('Link', ['clicks', 'leads', 'sales', 'saleAmountCents', 'lastClickedAt'])
/** The last and the first instant of days, and what lies a millisecond beside. */
const DAY_BORDERS = ['23:59:59.999Z', '00:00:00.000Z', '00:00:00.001Z', '23:59:59.998Z']
/** Three events a link and more, over fifty days up to now, and some after; a few at the borders of days. */
export const linkEvents = Array.from({ length: 68 }, (_, index): Row => {
  const some = (name: string, count: number) =>
    isNull(`LinkEvent.${name}`, index) ? null : `${name} ${pick(`LinkEvent.${name}`, index, count)}`
  const event = ['click', 'lead', 'sale', 'click'][index % 4]
  return {
    eventId: `event-${index}`,
    linkId: reference('linkId', 'LinkEvent.linkId', index, 6),
    occurredAt:
      index < 60
        ? new Date(Date.parse(NOW) - 3_600_000 * (20 * index - 30) - index * 7).toISOString()
        : `2026-06-0${index % 4 === 0 || index % 4 === 3 ? 1 : 2}T${DAY_BORDERS[index % 4] ?? ''}`,
    event,
    // Clicks and leads carry an amount too, which is nobody's sale.
    amountCents: index % 8 === 2 ? null : 100 + index * 17,
    ...{ country: some('country', 3), city: some('city', 4), device: some('device', 3) },
    ...{ browser: some('browser', 3), os: some('os', 4), referrer: some('referrer', 5) },
  }
})
const automationLines = rowsOf('Automation', ['stepCount', 'runCount', 'lastRunAt'], ({ trigger }, index) => {
  const { type } = trigger as Row
  return {
    trigger: {
      type,
      formId: type === 'form_submission' ? reference('formId', 'Automation.form', index) : null,
    },
    steps: Array.from({ length: index % 4 }, (_, step) => ({ type: 'add_tag', tag: `tag ${step}` })),
  }
})
const someRuns = rowsOf('AutomationRun', [])
/** Two runs of one automation began at once. */
const runs = someRuns.map((row, index) => {
  const { automationId, startedAt } = someRuns[index === 5 ? 1 : index] ?? {}
  return { ...row, automationId, startedAt }
})
const reviews = rowsOf('Review', ['organizationId', 'siteName'])
const posAccounts = rowsOf('PosRecurringAccount', [])
const statuses = ['active', 'suspended', 'canceled', 'unknown']
/** The first two accounts have more events than are shown. */
const posEvents = (kind: string, more: (index: number) => Row) =>
  Array.from({ length: 70 }, (_, index): Row => ({
    eventId: `${kind}-${String((index * 37) % 70).padStart(2, '0')}`,
    accountId: `accountId-0${index < 60 ? index % 2 : 2 + (index % 3)}`,
    occurredAt: new Date(Date.UTC(2026, 0, 1) + ((index * 31) % 70) * 86_400_123).toISOString(),
    ...more(index),
  }))
const posBillingEvents = posEvents('billing', (index) => ({
  type: extra.word('posBilling.type', index, [
    'payment',
    'refund',
    'chargeback',
    'adjustment',
    'discount',
    'unknown',
  ]),
  amountCents: index % 5 === 0 ? null : 100 + index,
  result:
    index % 7 === 0
      ? null
      : extra.word('posBilling.result', index, ['success', 'failed', 'pending', 'unknown']),
}))
const posStatusEvents = posEvents('status', (index) => ({
  fromStatus: index % 5 === 0 ? null : extra.word('posStatus.from', index, statuses),
  toStatus: extra.word('posStatus.to', index, statuses),
  reason: index % 3 === 0 ? null : `reason ${index % 4}`,
}))

const hidden = { ...reviews[1], siteId: 'siteId-00', isDeleted: false, isPreview: false }
const isChilds = (index: number) => index % 3 === 2
/** Reviews of the child with the ids and times of the parent's: an id is unique only within its owner. */
const twins = [0, 3, 4].map((index): Row => ({
  ...reviews[index + 2],
  reviewId: reviews[index]?.reviewId,
  createdAt: reviews[index]?.createdAt,
}))

/** The lines of every import, in the order in which they are imported. Each refers to what came before. */
export const linesByKind: Readonly<Record<string, readonly Row[]>> = {
  sites,
  products: rowsOf('Product', []),
  'checkout-links': rowsOf('CheckoutLink', ['completedCount']),
  contacts,
  'contact-lists': rowsOf('ContactList', ['contactCount']),
  'list-members': listMembers,
  'marketing-signups': signups.map(withSecrets),
  forms: formLines,
  'form-submissions': submissions.map(withSecrets),
  automations: automationLines,
  'automation-runs': runs,
  'voucher-groups': groups,
  vouchers,
  'voucher-redemptions': redemptions,
  purchases: purchases.map((row, index) => ({ ...row, processorId: `processor-${index}` })),
  links,
  'link-events': linkEvents,
  surveys: rowsOf('Survey', []),
  'survey-responses': responses.map(withSecrets),
  // What happened later stands first in every second one.
  cases: rowsOf('Case', [], ({ history, notes }, index) =>
    index % 2 === 0
      ? {}
      : {
          history: (history as readonly Row[]).toReversed(),
          notes: (notes as readonly Row[]).toReversed(),
        },
  ),
  memberships,
  'billing-events': paymentEvents,
  'retention-offer-events': offerEvents,
  'exit-survey-events': surveyEvents,
  reviews: [
    ...reviews
      .filter((_, index) => !isChilds(index))
      .map((row) => ({ ...row, isDeleted: false, isPreview: false })),
    { ...hidden, reviewId: '018f3c6e-7b1a-7c3d-9e2f-100000000000', isDeleted: true },
    { ...hidden, reviewId: '018f3c6e-7b1a-7c3d-9e2f-200000000000', isPreview: true },
  ],
  'pos-transactions': rowsOf('PosTransaction', []),
  'pos-customers': rowsOf('PosCustomer', []),
  'pos-recurring-accounts': posAccounts,
  'pos-billing-events': posBillingEvents,
  'pos-status-events': posStatusEvents,
}

const lines = (kind: string) => linesByKind[kind] ?? []
const newest24 = (events: readonly Row[], accountId: unknown) =>
  events
    .filter((event) => event.accountId === accountId)
    .toSorted((left, right) => (String(left.occurredAt) < String(right.occurredAt) ? 1 : -1))
    .slice(0, 24)

const oldestFirst = (entries: readonly Row[]) =>
  entries.toSorted((left, right) => (String(left.timestamp) < String(right.timestamp) ? -1 : 1))

const isPaid = ({ status }: Row) => ['paid', 'partially_refunded', 'refunded'].includes(String(status))

/** The rows that must be served, by their type in the table, without `updatedAt`. */
export const shown: Readonly<Record<string, readonly Row[]>> = {
  Site: sites,
  Product: lines('products'),
  CheckoutLink: lines('checkout-links').map((row) => ({
    ...row,
    completedCount: purchases.filter((one) => one.checkoutLinkId === row.checkoutLinkId && isPaid(one))
      .length,
  })),
  Purchase: purchases,
  Contact: contacts,
  'Contact + {addedAt ts}': listMembers.map((member) => ({
    ...contacts.find(({ contactId }) => contactId === member.contactId),
    ...member,
  })),
  ContactList: lines('contact-lists').map((row) => ({
    ...row,
    contactCount: listMembers.filter(({ listId }) => listId === row.listId).length,
  })),
  MarketingSignup: signups,
  Form: formLines.map((row, index) => ({
    ...row,
    requiresPassword: row.password !== null,
    headless:
      index === 3
        ? { supported: false, reasons: [expect.stringContaining('picture') as string] }
        : { supported: true, reasons: [] },
  })),
  FormSubmission: submissions.map((row) => ({
    ...row,
    formName: formLines.find(({ formId }) => formId === row.formId)?.name,
  })),
  Automation: automationLines.map((row) => {
    const own = runs.filter(({ automationId }) => automationId === row.automationId)
    return {
      ...row,
      stepCount: (row.steps as readonly unknown[]).length,
      runCount: own.length,
      lastRunAt: latest(own.map(({ startedAt }) => startedAt)),
    }
  }),
  AutomationRun: runs,
  Voucher: vouchers.map((row) => {
    const own = redemptions.filter(({ voucherId }) => voucherId === row.voucherId)
    return {
      ...row,
      redemptionCount: own.length,
      lastRedeemedAt: latest(own.map(({ redeemedAt }) => redeemedAt)),
    }
  }),
  VoucherRedemption: redemptions,
  VoucherGroup: groups.map((row) => {
    const own = vouchers.filter(({ groupId }) => groupId === row.groupId)
    const redeemed = own.filter((one) => redemptions.some(({ voucherId }) => voucherId === one.voucherId))
    return { ...row, voucherCount: own.length, redeemedCount: redeemed.length }
  }),
  Link: links.map((row) => {
    const own = (event: string) =>
      linkEvents.filter((one) => one.linkId === row.linkId && one.event === event)
    return {
      ...row,
      clicks: own('click').length,
      leads: own('lead').length,
      sales: own('sale').length,
      saleAmountCents: sum(own('sale').map(({ amountCents }) => amountCents)),
      lastClickedAt: latest(own('click').map(({ occurredAt }) => occurredAt)),
    }
  }),
  Survey: lines('surveys'),
  SurveyResponse: responses,
  Case: lines('cases').map((row) => ({
    ...row,
    history: oldestFirst(row.history as readonly Row[]),
    notes: oldestFirst(row.notes as readonly Row[]),
  })),
  Review: [
    ...reviews.map((row, index) => ({
      ...row,
      organizationId: isChilds(index) ? CHILD : OWNER,
      siteName: isChilds(index) ? null : (sites.find(({ siteId }) => siteId === row.siteId)?.name ?? null),
    })),
    ...twins.map((row) => ({ ...row, organizationId: CHILD, siteName: null })),
  ],
  CancellationRecord: cancellationRecords,
  PosTransaction: lines('pos-transactions'),
  PosCustomer: lines('pos-customers'),
  PosRecurringAccount: posAccounts.map((row) => ({
    ...row,
    billingEvents: newest24(posBillingEvents, row.accountId),
    statusEvents: newest24(posStatusEvents, row.accountId),
  })),
}

/** The kinds whose lines make the rows of a type, and change what is derived in them, each by the field of the row's id. */
const madeOf: Readonly<Record<string, readonly (readonly [kind: string, field: string])[]>> = {
  Site: [['sites', 'siteId']],
  Product: [['products', 'productId']],
  CheckoutLink: [
    ['checkout-links', 'checkoutLinkId'],
    ['purchases', 'checkoutLinkId'],
  ],
  Purchase: [['purchases', 'subtotalCents']],
  Contact: [['contacts', 'contactId']],
  ContactList: [
    ['contact-lists', 'listId'],
    ['list-members', 'listId'],
  ],
  MarketingSignup: [['marketing-signups', 'signupId']],
  Form: [['forms', 'formId']],
  FormSubmission: [['form-submissions', 'submissionId']],
  Automation: [
    ['automations', 'automationId'],
    ['automation-runs', 'automationId'],
  ],
  AutomationRun: [['automation-runs', 'runId']],
  Voucher: [
    ['vouchers', 'voucherId'],
    ['voucher-redemptions', 'voucherId'],
  ],
  VoucherGroup: [
    ['voucher-groups', 'groupId'],
    ['vouchers', 'groupId'],
  ],
  Link: [
    ['links', 'linkId'],
    ['link-events', 'linkId'],
  ],
  Survey: [['surveys', 'id']],
  SurveyResponse: [['survey-responses', 'responseId']],
  Case: [['cases', 'caseId']],
  Review: [['reviews', 'reviewId']],
  CancellationRecord: [
    ['memberships', 'membershipId'],
    ['billing-events', 'membershipId'],
  ],
}

/** A service with the organization and its rows. */
export interface World {
  readonly service: TestService
  readonly key: string
  readonly admin: OperatorClient
  /** When what a row of this type shows was last imported. */
  changedAt(type: string, row: Row): string | undefined
}

export const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }
export const POS = { kind: 'legacy_vendor', tenant: 'north' } as const
const MAIL = { domain: 'mail.example.com', brand: 'Brand' }

export async function openWorld(kind: 'shared' | 'own'): Promise<World> {
  const choice: PlaceChoice = kind === 'own' ? { kind, region: null, jurisdiction: null } : { kind }
  const providers = { email: fakeEmail().sender, sms: fakeSms().sender, mail: MAIL }
  const service = await openTestService(
    (clock) => createScratchStorage({ clock, choice }),
    undefined,
    providers,
  )
  service.clock.set('2026-06-15T00:00:00.000Z')
  const sender = { slug: OWNER, smsNumber: '+12125550100' }
  const key = await service.addOrganization(OWNER, { posSource: POS, ...able, ...sender })
  await service.addOrganization(CHILD, { parentId: OWNER })
  const admin = await openOperatorClient(service)
  const importedAt = new Map<string, (readonly [line: Row, at: string])[]>()
  const bring = async (owner: string, name: string, some: readonly Row[]) => {
    service.clock.advance(60_000)
    await importLines(service, admin, owner, name, some)
    const times = importedAt.get(name) ?? []
    const at = new Date(service.clock.nowMs()).toISOString()
    times.push(...some.map((line) => [{ ...line, organizationId: owner }, at] as const))
    importedAt.set(name, times)
  }
  // Each kind comes in three parts, so that its rows have different times of change, in another order than their own.
  for (const [name, all] of Object.entries(linesByKind))
    for (const part of [0, 1, 2])
      await bring(
        OWNER,
        name,
        all.filter((_, index) => index % 3 === part),
      )
  const childs = [...reviews.filter((_, index) => isChilds(index)), ...twins]
  await bring(
    CHILD,
    'reviews',
    childs.map((row) => ({ ...row, isDeleted: false, isPreview: false })),
  )
  service.clock.set(NOW)
  return {
    service,
    key,
    admin,
    changedAt: (type, row) => {
      const [[, idField] = ['', '']] = madeOf[type] ?? []
      const times = (madeOf[type] ?? []).flatMap(([name, field], order) => {
        const own = (importedAt.get(name) ?? []).filter(
          ([line]) => line[field] === row[idField] && (row.organizationId ?? OWNER) === line.organizationId,
        )
        // A purchase that was not paid changes nothing of its link.
        return order === 0 || name !== 'purchases' ? own : own.filter(([line]) => isPaid(line))
      })
      // A voucher's first redemption makes it one more that was redeemed of its group.
      const first = new Map(
        (importedAt.get('voucher-redemptions') ?? []).toReversed().map((each) => [each[0].voucherId, each]),
      )
      const ofGroup = type === 'VoucherGroup' ? vouchers.filter(({ groupId }) => groupId === row.groupId) : []
      return [
        ...times,
        ...ofGroup.map(({ voucherId }) => first.get(voucherId)).filter((each) => each !== undefined),
      ]
        .map(([, time]) => time)
        .toSorted()
        .at(-1)
    },
  }
}

/** Imports lines as an operator does. Throws when they are refused. */
export async function importLines(
  service: TestService,
  admin: OperatorClient,
  organizationId: string,
  kind: string,
  some: readonly Row[],
): Promise<void> {
  const importId = await sendImport(service, admin, organizationId, kind, some)
  const { body } = await admin.post(`/organizations/${organizationId}/imports/${importId ?? ''}/commit`)
  if ((body as { readonly state?: string }).state !== 'done')
    throw new Error(`${kind}: ${JSON.stringify(body)}`)
}

import { beforeAll, describe, expect, test } from 'vitest'
import type { Row } from './rows.ts'
import type { Type } from './table.ts'
import { keysOf, operations, shapeOf } from './table.ts'
import type { World } from './world.ts'
import { linesByKind, NOW, openWorld, OWNER } from './world.ts'
import { sendImport } from '../../support/data/sent-import.ts'

// What an import takes is what the table serves: a word that an enumeration does not have, null where the table has
// none, and a field that the service derives are refused, each with the name of its field.

/** The type of the table that a kind's lines become, and its fields that the service derives. */
const kinds: Readonly<Record<string, readonly [type: string, ...derived: string[]]>> = {
  sites: ['Site'],
  products: ['Product'],
  'checkout-links': ['CheckoutLink', 'completedCount'],
  purchases: ['Purchase', 'purchaseId'],
  contacts: ['Contact'],
  'contact-lists': ['ContactList', 'contactCount'],
  'marketing-signups': ['MarketingSignup'],
  forms: ['Form', 'requiresPassword', 'headless'],
  'form-submissions': ['FormSubmission', 'formName'],
  vouchers: ['Voucher', 'redemptionCount', 'lastRedeemedAt'],
  'voucher-redemptions': ['VoucherRedemption'],
  'voucher-groups': ['VoucherGroup', 'voucherCount', 'redeemedCount'],
  links: ['Link', 'clicks', 'leads', 'sales', 'saleAmountCents', 'lastClickedAt'],
  automations: ['Automation', 'stepCount', 'runCount', 'lastRunAt'],
  'automation-runs': ['AutomationRun'],
  surveys: ['Survey'],
  'survey-responses': ['SurveyResponse'],
  cases: ['Case'],
  reviews: ['Review', 'siteName'],
  'pos-transactions': ['PosTransaction'],
  'pos-customers': ['PosCustomer'],
  'pos-recurring-accounts': ['PosRecurringAccount'],
}

let world: World
beforeAll(async () => {
  world = await openWorld('shared')
})

/** The fields of a file's lines that are refused, as `line field`. */
async function problemsOf(kind: string, lines: readonly Row[]): Promise<readonly string[]> {
  const { service, admin } = world
  const importId = await sendImport(service, admin, OWNER, kind, lines)
  const { body } = await admin.post(`/organizations/${OWNER}/imports/${importId ?? ''}/commit`)
  const { problems } = body as unknown as {
    readonly problems?: readonly { readonly line: number; readonly field: string }[]
  }
  return (problems ?? []).map(({ line, field }) => `${line} ${field}`)
}

/** The paths of a row's fields with an enumeration. */
function enumerated(type: Type, path = ''): readonly string[] {
  if (type.kind === 'one of') return [path]
  if (type.kind !== 'shape') return []
  return type.keys.flatMap(({ name, type: of }) => enumerated(of, path === '' ? name : `${path}.${name}`))
}

describe.each(Object.entries(kinds))('%s', (kind, [name, ...derived]) => {
  const line = linesByKind[kind]?.[1] ?? {}
  const type = shapeOf(name)
  const kept = ({ processorId, ...row }: Row): Row => (kind === 'purchases' ? { ...row, processorId } : row)
  const changed = (path: string, value: unknown): Row => {
    const [first = '', second] = path.split('.')
    return { ...line, [first]: second === undefined ? value : { ...(line[first] as Row), [second]: value } }
  }

  test('refuses words that the table does not have', async () => {
    const paths = enumerated(type)
    for (const path of paths)
      expect(await problemsOf(kind, [changed(path, 'nothing')])).toEqual([`1 ${path}`])
  })

  test('refuses null where the table has none, or takes it as left out', async () => {
    const leftOut: Record<string, null> = {}
    for (const { name: field, type: of } of keysOf(type)) {
      if (of.nullable || field === 'updatedAt' || derived.includes(field)) continue
      const problems = await problemsOf(kind, [changed(field, null)])
      if (problems.length === 0) leftOut[field] = null
      else expect(problems).toEqual([`1 ${field}`])
    }
    // A sale may lack its total at the point of sale; then the request for it fails.
    if (kind.startsWith('pos-')) {
      expect(Object.keys(leftOut)).toEqual(kind === 'pos-transactions' ? ['totalCents'] : [])
      return
    }
    const idField = kind === 'purchases' ? 'subtotalCents' : (keysOf(type)[0]?.name ?? '')
    const id =
      kind === 'purchases' ? 77 : kind === 'reviews' ? '018f3c6e-7b1a-7c3d-9e2f-300000000000' : 'left-out'
    expect(
      await problemsOf(kind, [{ ...line, ...leftOut, [idField]: id, processorId: 'left-out' }].map(kept)),
    ).toEqual([])
    const list =
      operations.find((one) => one.does === 'list' && one.typeText.split(' ', 1)[0] === name) ?? fail(name)
    const response = await world.service.sendUnchecked(`${list.path}?limit=500`, { key: world.key })
    const { data } = (await response.json()) as { readonly data: readonly Row[] }
    const row = data.find((one) => one[idField] === id) ?? fail(name)
    for (const { name: field, type: of } of keysOf(list.type)) {
      if (!(field in leftOut)) continue
      expect([field, row[field]]).not.toEqual([field, null])
      if (of.kind === 'list') expect([field, row[field]]).toEqual([field, []])
      if (field === 'createdAt') expect(row[field]).toMatch(NOW.replace('.000Z', ''))
      if (name === 'Contact' && field.endsWith('Consent')) expect(row[field]).toBe('unknown')
    }
  })

  test('refuses what is derived, and when a row changed', async () => {
    for (const field of [...derived, 'updatedAt'])
      expect(await problemsOf(kind, [{ ...line, [field]: 1 }])).toEqual([`1 ${field}`])
  })
})

/** The words of what is imported and not served as it is, by decisions 7 and 10. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'link-events': { event: 'click|lead|sale' },
  memberships: {
    status: 'active|churned',
    churnType: 'voluntary|involuntary',
    billingInterval: 'week|month|quarter|year',
  },
  'billing-events': { type: 'payment|failed|refund|discount' },
  'retention-offer-events': { event: 'viewed|accepted|declined' },
  'pos-billing-events': {
    type: 'payment|refund|chargeback|adjustment|discount|unknown',
    result: 'success|failed|pending|unknown',
  },
  'pos-status-events': {
    fromStatus: 'active|suspended|canceled|unknown',
    toStatus: 'active|suspended|canceled|unknown',
  },
}

test.each(Object.entries(words))('%s takes these words', async (kind, fields) => {
  const line = linesByKind[kind]?.[1] ?? {}
  for (const [field, text] of Object.entries(fields)) {
    for (const word of text.split('|'))
      expect([word, await problemsOf(kind, [{ ...line, [field]: word }])]).toEqual([word, []])
    expect(await problemsOf(kind, [{ ...line, [field]: 'nothing' }])).toEqual([`1 ${field}`])
  }
})

function fail(name: string): never {
  throw new Error(`There is no ${name}`)
}

import { beforeAll, describe, expect, test } from 'vitest'
import { COUNT, type Row } from './rows.ts'
import { keysOf, leavesOf, operations, shapeOf, textOf, type Type } from './table.ts'
import { linesByKind, NOW, openWorld, OWNER, type World } from './world.ts'
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
  'list-members': ['ListMember'],
  'link-events': ['LinkEvent'],
  memberships: ['Membership'],
  'billing-events': ['BillingEvent'],
  'retention-offer-events': ['RetentionOfferEvent'],
  'exit-survey-events': ['ExitSurveyEvent'],
  'pos-billing-events': ['PosBillingEvent'],
  'pos-status-events': ['PosStatusEvent'],
}

let world: World
beforeAll(async () => {
  world = await openWorld('shared')
})

/** What a natural default stands for, by decision 15: the fields of each kind that may be left out. */
const natural: Readonly<Record<string, string>> = {
  sites: 'status address createdAt',
  products: 'status siteIds createdAt',
  'checkout-links': 'status items createdAt',
  purchases: 'items',
  contacts: 'tags emailConsent smsConsent attributes createdAt',
  'contact-lists': 'type createdAt',
  'marketing-signups': 'emailConsent smsConsent answers attribution',
  forms: 'createdAt',
  'form-submissions': 'attribution typed spam',
  vouchers: 'status createdAt',
  'voucher-groups': 'status createdAt',
  links: 'tags archived createdAt',
  automations: 'createdAt',
  surveys: 'isPublished config createdAt',
  'survey-responses': 'answers',
  cases: 'customer site history notes',
  reviews: 'replied createdAt',
  'list-members': 'addedAt',
  memberships: 'isOnTrial tags',
}

/** Objects that are null as a whole where nothing of them is known; they are served as objects of nulls. */
const NULLABLE_WITHIN = new Set(['customer', 'site'])

/** A file's lines that are refused, as `line field`. */
async function problemsOf(kind: string, lines: readonly Row[]): Promise<readonly string[]> {
  const { service, admin } = world
  const importId = await sendImport(service, admin, OWNER, kind, lines)
  const { body } = await admin.post(`/organizations/${OWNER}/imports/${importId ?? ''}/commit`)
  const { problems } = body as unknown as {
    readonly problems?: readonly { readonly line: number; readonly field: string }[]
  }
  return (problems ?? []).map(({ line, field }) => `${line} ${field}`)
}

/** A line with another value at a path. */
function changed(line: Row, [name = '', ...rest]: readonly string[], value: unknown): Row {
  const below = line[name]
  if (rest.length === 0) return { ...line, [name]: value }
  if (!Array.isArray(below)) return { ...line, [name]: changed(below as Row, rest, value) }
  const [first, ...others] = below as readonly unknown[]
  const [, ...deeper] = rest
  return {
    ...line,
    [name]: [deeper.length === 0 ? value : changed(first as Row, deeper, value), ...others],
  }
}

/** As many problems as an import lists. */
const FILE_LINES = 50

/** What becomes of a line with each of these values at a path: the values that are taken. */
async function taken(
  kind: string,
  line: Row,
  path: readonly string[],
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const [own = ''] = kind === 'purchases' ? ['processorId'] : Object.keys(line)
  const found: unknown[] = []
  for (let at = 0; at < values.length; at += FILE_LINES) {
    const part = values.slice(at, at + FILE_LINES)
    const lines = part.map((value, index) => {
      const number = String(at + index).padStart(4, '0')
      const id = kind === 'reviews' ? `018f3c6e-7b1a-7c3d-9e2f-40000000${number}` : `tried-${number}`
      // Members are contacts that there are.
      const member = { contactId: `contactId-${String((at + index) % COUNT).padStart(2, '0')}` }
      return changed({ ...line, ...(kind === 'list-members' ? member : { [own]: id }) }, path, value)
    })
    const problems = await problemsOf(kind, lines)
    const refused = new Set(problems.map((problem) => Number(problem.split(' ', 1)[0])))
    expect(
      new Set(problems.map((problem) => problem.replace(/^\d+ /, '').replaceAll(/\.\d+/g, '.0'))),
    ).toEqual(new Set(refused.size === 0 ? [] : [path.join('.')]))
    found.push(...part.filter((_, index) => !refused.has(index + 1)))
  }
  return found
}

/** Every word of the table, of whatever enumeration. */
const everyWord = new Set(
  [
    ...operations.flatMap(({ type, parameters }) => [
      ...leavesOf(type),
      ...parameters.map((one) => ({ type: one.type })),
    ]),
    ...Object.values(kinds).flatMap(([name]) => leavesOf(shapeOf(name))),
  ].flatMap(({ type }) => (type.kind === 'one of' ? type.words : [])),
)

/** Words that are none of these: those of other enumerations, misspellings, another case, and what is no word. */
function wrongWords(own: readonly string[]): readonly unknown[] {
  const near = own.flatMap((word) => [
    `${word}s`,
    word.slice(0, -1),
    ` ${word}`,
    word.replace('_', '-'),
    word.toUpperCase(),
    word.slice(0, 1).toUpperCase() + word.slice(1),
  ])
  return [...new Set([...everyWord, ...near, 'nothing', 1, true, ['active'], {}])].filter(
    (word) => !own.includes(word as string),
  )
}

/** Values that a plain type refuses, and such as it takes: the ends of its range, and beyond them. */
function edgesOf(type: Type): readonly [refused: readonly unknown[], taken: readonly unknown[]] {
  if (type.kind !== 'word') return [[], []]
  const [least, most] = type.range
  switch (textOf({ ...type, nullable: false })) {
    case 'int':
    case 'stars':
      return [
        [
          ...(least === undefined ? [] : [least - 1]),
          ...(most === undefined ? [] : [most + 1]),
          ...[(least ?? 0) + 0.5, '1', true, 2 ** 53],
        ],
        [least ?? -1_000_000, most ?? 1_000_000_000],
      ]
    case 'num':
      return [
        [
          ...(least === undefined ? [] : [least - 0.0001]),
          ...(most === undefined ? [] : [most + 0.0001]),
          ...['1', true],
        ],
        [least ?? -1_000_000.5, most ?? 1_000_000.5],
      ]
    case 'bool':
      return [
        ['true', 1, 0, 'yes'],
        [true, false],
      ]
    case 'ts':
      return [['2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', 'x', 1, true], []]
    case 'date':
      return [['2026-02-30', '2026-01-01T00:00:00Z', 'x', 1], ['2026-02-28']]
    case 'str':
      return [[1, true, {}, []], []]
    default:
      return [[1, 'x', []], []]
  }
}

describe.each(Object.entries(kinds))('%s', (kind, [name, ...derived]) => {
  const line = linesByKind[kind]?.[1] ?? {}
  const type = shapeOf(name)
  const kept = ({ processorId, ...row }: Row): Row => (kind === 'purchases' ? { ...row, processorId } : row)
  const leaves = leavesOf(type).filter(
    ({ path: [first = ''] }) => ![...derived, 'updatedAt', 'organizationId', 'fields'].includes(first),
  )
  const enumerated = leaves.flatMap(({ path, type: of }) =>
    of.kind === 'one of' ? [{ path, own: of.words }] : [],
  )

  if (enumerated.length > 0)
    test('refuses words that the table does not have', async () => {
      for (const { path, own } of enumerated) {
        expect([path, await taken(kind, line, path, wrongWords(own))]).toEqual([path, []])
        // A form's automation names the form, which others have not.
        const fit = path.join('.') === 'trigger.type' ? [(line.trigger as Row).type] : own
        expect([path, await taken(kind, line, path, fit)]).toEqual([path, fit])
      }
    })

  test('takes numbers, times and texts from end to end of their range, and no others', async () => {
    for (const { path, type: of } of leaves) {
      const [refused, fit] = edgesOf(of)
      expect([path, await taken(kind, line, path, [...refused, ...fit])]).toEqual([path, fit])
    }
  })

  const fields = keysOf(type).filter(({ name: field }) => field !== 'updatedAt' && !derived.includes(field))
  // A sale may lack its total at the point of sale; then the request for it fails.
  const omissible = kind === 'pos-transactions' ? ['totalCents'] : (natural[kind] ?? '').split(' ')

  test('refuses null where the table has none, or takes it as left out', async () => {
    for (const { name: field, type: of } of fields) {
      // A contact without an id is whoever has its email or phone.
      const may = of.nullable || omissible.includes(field) || (kind === 'contacts' && field === 'contactId')
      if (field !== 'organizationId')
        expect([field, await taken(kind, line, [field], [null])]).toEqual([field, may ? [null] : []])
    }
    for (const { path, type: of } of leaves)
      if (path.length > 1 && path.at(-1) !== '0' && !isOptional(type, path))
        expect([path, await taken(kind, line, path, [null])]).toEqual([path, of.nullable ? [null] : []])
  })

  const list = operations.find((one) => one.does === 'list' && one.typeText.split(' ', 1)[0] === name)
  if (list !== undefined && !kind.startsWith('pos-'))
    test('serves what is left out as its natural value, and keeps what a row has', async () => {
      const idField = kind === 'purchases' ? 'subtotalCents' : (keysOf(type)[0]?.name ?? '')
      const id =
        kind === 'purchases' ? 77 : kind === 'reviews' ? '018f3c6e-7b1a-7c3d-9e2f-300000000000' : 'left-out'
      const whole = kept({ ...line, [idField]: id, processorId: 'left-out' })
      const short = Object.fromEntries(
        Object.entries(whole).filter(([field]) => {
          const own = fields.find((one) => one.name === field)
          return own === undefined || !(own.type.nullable || omissible.includes(field))
        }),
      )
      const row = async () => {
        const query = `limit=500${list.codes ? '&includeCodes=true' : ''}`
        const response = await world.service.sendUnchecked(`${list.path}?${query}`, { key: world.key })
        const { data } = (await response.json()) as { readonly data: readonly Row[] }
        return data.find((one) => one[idField] === id) ?? fail(name)
      }
      expect(await problemsOf(kind, [short])).toEqual([])
      const first = await row()
      for (const { name: field, type: of } of fields)
        if (field in first && (of.nullable || omissible.includes(field)))
          expect([field, first[field]]).toEqual([field, naturalOf(field, of)])
      expect(await problemsOf(kind, [whole])).toEqual([])
      const second = await row()
      expect(await problemsOf(kind, [short])).toEqual([])
      const third = await row()
      for (const { name: field, type: of } of fields) {
        if (!(field in third)) continue
        const isKept = !of.nullable && !NULLABLE_WITHIN.has(field)
        expect([field, third[field]]).toEqual([field, isKept ? second[field] : naturalOf(field, of)])
      }
    })

  test('refuses what is derived, and when a row changed', async () => {
    for (const field of [...derived, 'updatedAt', 'nonsense'])
      expect(await problemsOf(kind, [{ ...line, [field]: 1 }])).toEqual([`1 ${field}`])
  })
})

/** Whether a part of a path may be absent. */
function isOptional(type: Type, path: readonly string[]): boolean {
  const [name, ...rest] = path
  if (name === undefined) return false
  if (type.kind === 'list') return isOptional(type.of, rest)
  const key = type.kind === 'shape' ? type.keys.find((one) => one.name === name) : undefined
  return key === undefined || key.there === 'may' || isOptional(key.type, rest)
}

/** What is served of a field that was left out. */
function naturalOf(field: string, type: Type): unknown {
  if (type.nullable) return null
  if (field === 'createdAt') return expect.stringMatching(NOW.slice(0, 16)) as string
  if (field.endsWith('Consent') && type.kind === 'one of') return 'unknown'
  if (type.kind === 'list') return []
  if (type.kind === 'one of') return field === 'status' ? 'active' : 'static'
  if (type.kind === 'shape')
    return Object.fromEntries(
      type.keys.flatMap(({ name, there }) => (there === 'always' ? [[name, null]] : [])),
    )
  return type.kind === 'map' || (type.kind === 'word' && type.word === 'object') ? {} : false
}

test('attributes of contacts are bounded, and have any names', async () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, '']))
  const named = JSON.parse('{"__proto__":"a","constructor":"b","1":"","\u00e9 \ud83d\ude00":"c"}') as Row
  const fit = [{}, named, many(50), { ['n'.repeat(64)]: 'v'.repeat(1000) }]
  const unfit = [many(51), { '': 'a' }, { ['n'.repeat(65)]: 'a' }, { a: 'v'.repeat(1001) }]
  const line = linesByKind.contacts?.[1] ?? {}
  const values = [...fit, ...unfit, [], 'a', { a: 1 }, { a: null }, { a: ['b'] }]
  expect(await taken('contacts', line, ['attributes'], values)).toEqual(fit)
  expect(await problemsOf('contacts', [{ ...line, attributes: named }])).toEqual([])
  const path = `/api/v1/contacts/${String(line.contactId)}`
  const { attributes } = (await (await world.service.send(path, { key: world.key })).json()) as Row
  expect(Object.entries(attributes as Row)).toEqual(Object.entries(named))
})

describe('several forms of one value', () => {
  test('a membership ends on a day, or at an instant with an offset', async () => {
    const line = linesByKind.memberships?.[1] ?? {}
    const fit = ['2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456+02:00']
    const unfit = ['2026-02-30', '2026-01-01T00:00:00', '2026-01', 'x']
    expect(await taken('memberships', line, ['cancelDate'], [...unfit, ...fit])).toEqual(fit)
  })

  test.each([
    ['contacts', '/api/v1/contacts', 'contactId'],
    ['pos-customers', '/api/v1/pos/customers', 'customerId'],
  ])('%s have phone numbers and addresses, in one form', async (kind, path, idField) => {
    const line: Row = { ...linesByKind[kind]?.[1], [idField]: 'reachable', phone: '(212) 555-0123' }
    expect(await taken(kind, line, ['phone'], ['x', '123', '+1'])).toEqual([])
    expect(await taken(kind, line, ['email'], ['x', 'a@', 'a b@example.com'])).toEqual([])
    expect(await problemsOf(kind, [line])).toEqual([])
    const response = await world.service.sendUnchecked(`${path}/reachable`, { key: world.key })
    expect(await response.json()).toMatchObject({ phone: '+12125550123', email: line.email })
  })
})

function fail(name: string): never {
  throw new Error(`There is no ${name}`)
}

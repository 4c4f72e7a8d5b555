import { beforeEach, describe, expect, it } from 'vitest'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { importWorld, sourceOf } from '../../test/support/data/imports.ts'
import { openedPurchaseId } from '../../test/support/data/opened-purchase-id.ts'
import { utf8 } from '../text/encoding.ts'
import { runImport } from './sessions.ts'

const clock = { nowMs: () => Date.UTC(2026, 5, 1) }
const passwords = { hash: async () => '', verify: async () => false }
let storage = createScratchStorage({ clock })

beforeEach(async () => {
  storage = createScratchStorage({ clock })
  for (const id of ['acme', 'other']) await storage.administration.saveOrganization(organization(id))
})

const csv = (text: string) => ({ format: 'csv', text }) as const

async function run(
  file: readonly object[] | ReturnType<typeof csv>,
  org = 'acme',
  secrets = () => testSecrets(),
) {
  const given = 'text' in file ? file : { format: 'ndjson' as const, text: file.map(toLine).join('') }
  const world = importWorld(storage, organization(org), { passwords, clock, secrets })
  return runImport(
    {
      kind: 'purchases',
      format: given.format,
      source: sourceOf(utf8(given.text)),
      onProgress: () => undefined,
    },
    world,
  )
}

function toLine(line: object): string {
  return `${JSON.stringify(line)}\n`
}

async function stored(processorIds: readonly string[], org = 'acme') {
  const fields = ['purchaseId', 'processorId', 'totalCents', 'items', 'fulfillmentCodes']
  return storage.tenant(org).findMany('purchases', fields, processorIds, 'processorId')
}

const item = { name: 'Wash', quantity: 2, unitPriceCents: 750, totalCents: 1500 }
const purchase = (processorId: unknown, rest: object = {}) => ({
  processorId,
  status: 'paid',
  currency: 'USD',
  subtotalCents: 1500,
  discountCents: 0,
  taxCents: 0,
  totalCents: 1500,
  refundedCents: 0,
  items: [{ ...item, fulfillmentCodes: ['A-1', 'A-2'] }],
  purchasedAt: '2026-01-01T01:00:00+01:00',
  ...rest,
})

describe('importing purchases', () => {
  it('stores the codes apart from the items, under a public id that opens to the given one', async () => {
    expect(await run([purchase('ch_1')])).toMatchObject({ kind: 'imported', changed: 1 })
    const [row] = await stored(['ch_1'])
    expect(row).toMatchObject({ items: [{ ...item, productId: null }], fulfillmentCodes: [['A-1', 'A-2']] })
    const { current } = await testSecrets()
    expect(await openedPurchaseId(String(row?.purchaseId), 'acme', current)).toBe('ch_1')
  })

  it('keeps the id through every rotation of the root secret, and changes nothing the second time', async () => {
    await run([purchase('ch_1')])
    const [before] = await stored(['ch_1'])
    const rotated = () => testSecrets(9)
    expect(await run([purchase('ch_1')], 'acme', rotated)).toMatchObject({ changed: 0, unchanged: 1 })
    await run([purchase('ch_1', { totalCents: 1 }), purchase('ch_2')], 'acme', rotated)
    expect(await stored(['ch_1'])).toEqual([{ ...before, totalCents: 1 }])
    const [later] = await stored(['ch_2'])
    const { current } = await rotated()
    expect(await openedPurchaseId(String(later?.purchaseId), 'acme', current)).toBe('ch_2')
  })

  it('makes another id of the same purchase in another organization', async () => {
    await run([purchase('ch_1')])
    await run([purchase('ch_1')], 'other')
    expect((await stored(['ch_1']))[0]?.purchaseId).not.toBe((await stored(['ch_1'], 'other'))[0]?.purchaseId)
  })

  it('refuses a processor id given twice and a public id', async () => {
    const outcome = await run([purchase('ch_1'), purchase('ch_1'), purchase('ch_2', { purchaseId: 'pur_x' })])
    expect(outcome).toEqual({
      kind: 'invalid',
      problems: [
        { line: 2, field: 'processorId', message: 'is the same as in line 1' },
        { line: 3, field: 'purchaseId', message: 'is made by the service; give processorId instead' },
      ],
    })
    expect(await stored(['ch_1', 'ch_2'])).toEqual([])
  })

  it('asks for codes in every item', async () => {
    const outcome = await run([purchase('ch_1', { items: [item] })])
    expect(outcome).toMatchObject({
      problems: [{ field: 'items.0.fulfillmentCodes', message: 'is required' }],
    })
  })
})

describe('no problem shows the id of a processor', () => {
  const SECRET = 'ch_secret'

  it.each([
    ['too long', purchase(SECRET.repeat(20))],
    ['spaces', purchase(`${SECRET} x`)],
    ['a number', purchase(4_242_424)],
    ['a list', purchase([SECRET])],
    ['in the column of a word', purchase(SECRET, { status: SECRET })],
    ['in the column of a number', purchase(SECRET, { totalCents: SECRET })],
    ['in the column of a time', purchase(SECRET, { purchasedAt: SECRET })],
    ['of another purchase in the column of a list', purchase('ch_1', { items: SECRET })],
    ['of another purchase in an item', purchase('ch_1', { items: [{ ...item, quantity: SECRET }] })],
    ['as a key of the line', purchase(SECRET, { [SECRET]: 1 })],
    ['as a key of an item', purchase(SECRET, { items: [{ ...item, fulfillmentCodes: [], [SECRET]: 1 }] })],
    ['as the owner', purchase(SECRET, { organizationId: SECRET })],
  ])('%s', async (_, line) => {
    const outcome = await run([line])
    expect(outcome.kind).toBe('invalid')
    expect(JSON.stringify(outcome)).not.toMatch(/ch_secret|4242424|4_242_424/)
  })

  it('nor does one with a cell of CSV', async () => {
    const header = 'processorId,status,currency,totalCents,items\n'
    const outcome = await run(csv(`${header}${SECRET},paid,USD,${SECRET},${SECRET}\n`))
    expect(outcome.kind).toBe('invalid')
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
  })
})

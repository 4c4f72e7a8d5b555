import { expect, test } from 'vitest'
import { purchases } from '../resources/purchases.ts'
import { vouchers } from '../resources/vouchers.ts'
import { integer, number, text } from './field.ts'
import { computed } from './resource-field.ts'
import { isPublishedAsStored, resource, selection, serializer } from './resource.ts'

test('codes are not even read from storage unless they are asked for', () => {
  expect(selection(vouchers)).not.toContain('code')
  expect(selection(vouchers, true)).toContain('code')
  expect(selection(purchases)).not.toContain('fulfillmentCodes')
  expect(selection(purchases, true)).toContain('fulfillmentCodes')
})

test('what is stored to find a purchase again is never read to publish it', () => {
  expect(selection(purchases, true)).not.toContain('processorId')
})

test('items are published with the codes that are theirs, or with none', () => {
  const item = { productId: null, name: 'Wash', quantity: 1, unitPriceCents: 1, totalCents: 1 }
  const row = { items: [item, item], fulfillmentCodes: [['A'], []] }
  expect(serializer(purchases)(row).items).toEqual([item, item])
  expect(serializer(purchases, true)(row).items).toEqual([
    { ...item, fulfillmentCodes: ['A'] },
    { ...item, fulfillmentCodes: [] },
  ])
})

test('what a row was read for beside its published fields is not published', () => {
  const made = resource({
    name: 'Row',
    collection: 'rows',
    description: '',
    idField: 'rowId',
    fields: { name: text() },
    hidden: { rowId: text() },
  })
  const row = { name: 'a', rowId: 'hidden' }
  expect(serializer(made)(row)).toEqual({ name: 'a' })
  expect(isPublishedAsStored(made, false, ['name', 'rowId'])).toBe(false)
  expect(isPublishedAsStored(made, false, ['name'])).toBe(true)
})

test('rows with fractions, computed fields or fields in another order are not published as they are stored', () => {
  const base = { name: 'Row', collection: 'rows', description: '', idField: 'rowId' } as const
  const fraction = resource({ ...base, fields: { rowId: text(), share: number() } })
  const whole = resource({ ...base, fields: { rowId: text(), share: integer() } })
  const calculated = resource({
    ...base,
    fields: { rowId: text(), share: integer(), double: computed(integer(), ['share']) },
    compute: { double: ({ share }) => share * 2 },
  })
  const read = ['rowId', 'share']
  expect([fraction, whole, calculated].map((of) => isPublishedAsStored(of, false, read))).toEqual([
    false,
    true,
    false,
  ])
  expect(isPublishedAsStored(whole, false, ['share', 'rowId'])).toBe(false)
})

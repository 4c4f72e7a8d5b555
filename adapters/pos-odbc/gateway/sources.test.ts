import { expect, test } from 'vitest'
import { instant, text } from './codec.ts'
import type { ChildMapping } from './mappings.ts'
import { neutralChildren } from './sources.ts'

const events: ChildMapping = {
  table: 'pos_membership_charge',
  idColumn: 'charge_no',
  parentColumn: 'membership_no',
  order: { kind: 'latest', columns: ['charged_utc', 'charge_no'], count: 24 },
  valueField: null,
  fields: { eventId: text('charge_no'), occurredAt: instant('charged_utc') },
}

test('events of one instant are ordered by the bytes of their ids, as the databases and pages order them', () => {
  const at = '2026-05-19T18:10:00.000Z'
  // In UTF-16 order the second id, which contains surrogates, comes before the first; in UTF-8 order it comes after it.
  const ids = ['event-\uff5e', 'event-\u{1f697}', 'event-a']
  const recorded = ids.map((id) => ({ parent: 'account-1', c0: id, c1: at }))
  const [first, second, third] = ids
  const lists = neutralChildren(events, recorded, { timeZone: 'UTC', currency: 'USD' })
  expect(lists.get('account-1')).toEqual([
    { eventId: second, occurredAt: at },
    { eventId: first, occurredAt: at },
    { eventId: third, occurredAt: at },
  ])
})

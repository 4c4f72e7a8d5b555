import { expect, test } from 'vitest'
import { text } from './codec.ts'
import type { ChildMapping } from './family.ts'
import { neutralChildren } from './neutral.ts'

const events: ChildMapping = {
  table: 'event',
  idColumn: 'event_no',
  parentColumn: 'account_no',
  order: { kind: 'latest', columns: ['happened_utc', 'event_no'], count: 24 },
  valueField: null,
  fields: { eventId: text('event_no'), occurredAt: text('happened_utc') },
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

import * as v from 'valibot'
import type { StoredRow } from '../../ports/query.ts'
import type { Field } from '../contract/field.ts'
import { date, id, integer, nullable, oneOf, summedCents, text, timestamp } from '../contract/field.ts'
import { derived, resource, updatedAt } from '../contract/resource.ts'

const events = ['click', 'lead', 'sale'] as const

const DIMENSION_MAX_LENGTH = 200

/** A value that events are grouped by. Its length is bounded, since a cursor carries it. */
function dimension(): Field<string | null> {
  const plain = text()
  const short = v.pipe(v.string(), v.maxLength(DIMENSION_MAX_LENGTH))
  return nullable({ ...plain, input: () => short })
}

const isEvent = (row: StoredRow, event: (typeof events)[number]) => row.event === event

/** Imported for the counts of links and their analytics; no route publishes them as they are. */
export const linkEvents = resource({
  name: 'LinkEvent',
  collection: 'link-events',
  description: 'One click on a link, or a lead or sale that came of one.',
  idField: 'eventId',
  fields: {
    eventId: id(),
    linkId: id(),
    occurredAt: timestamp(),
    event: oneOf(events),
    amountCents: nullable(summedCents()),
    country: dimension(),
    city: dimension(),
    device: dimension(),
    browser: dimension(),
    os: dimension(),
    referrer: dimension(),
  },
  hidden: {
    updatedAt: updatedAt(),
    /** The UTC day. */
    day: derived(date(), (row) => String(row.occurredAt).slice(0, 10)),
    clicks: derived(integer(0, 1), (row) => Number(isEvent(row, 'click'))),
    leads: derived(integer(0, 1), (row) => Number(isEvent(row, 'lead'))),
    sales: derived(integer(0, 1), (row) => Number(isEvent(row, 'sale'))),
    saleAmountCents: derived(integer(), (row) => (isEvent(row, 'sale') ? Number(row.amountCents ?? 0) : 0)),
  },
})

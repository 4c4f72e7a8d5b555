import * as v from 'valibot'
import { InstantInput } from '../../domain/record/field.ts'
import type { StoredRow } from '../../ports/records.ts'

const count = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0)

/** A link as Dub's API gives it (its documentation, "Link object"), as far as this service reads it. */
const DubLink = v.object({
  id: v.pipe(v.string(), v.minLength(1)),
  tenantId: v.nullish(v.string(), null),
  domain: v.string(),
  key: v.string(),
  shortLink: v.string(),
  url: v.string(),
  title: v.nullish(v.string(), null),
  tags: v.nullish(v.array(v.object({ name: v.string() })), null),
  archived: v.optional(v.boolean(), false),
  clicks: count,
  leads: count,
  sales: count,
  saleAmount: v.optional(v.pipe(v.number(), v.safeInteger()), 0),
  expiresAt: v.nullish(InstantInput, null),
  lastClicked: v.nullish(InstantInput, null),
  createdAt: InstantInput,
  updatedAt: InstantInput,
})

/** A link at Dub with the organization that owns it. */
export interface OwnedLink {
  readonly tenantId: string | null
  /** The link as a row of the resource `links`. */
  readonly row: StoredRow
}

/** Reads a link; null when the value is not a link. */
export function readLink(body: unknown): OwnedLink | null {
  const reading = v.safeParse(DubLink, body)
  if (!reading.success) return null
  const link = reading.output
  const row = {
    linkId: link.id,
    domain: link.domain,
    key: link.key,
    shortUrl: link.shortLink,
    url: link.url,
    title: link.title,
    tags: (link.tags ?? []).map(({ name }) => name),
    archived: link.archived,
    clicks: link.clicks,
    leads: link.leads,
    sales: link.sales,
    saleAmountCents: link.saleAmount,
    expiresAt: link.expiresAt,
    lastClickedAt: link.lastClicked,
    createdAt: link.createdAt,
    updatedAt: link.updatedAt,
  }
  return { tenantId: link.tenantId, row }
}

import { hasGoodChecksum, isOrganizationId } from '../access/api-key.ts'

// A webhook is named by its organization and its own id, as `acme:wh_…`, so that a command finds it by that alone wherever
// the organization lives. So is a delivery.

const SEPARATOR = ':'

/** What the id of a webhook, or of a delivery to one, names. */
export interface Named {
  readonly organizationId: string
  /** Its id within the organization. */
  readonly id: string
}

/** Names a webhook, or a delivery, by its organization and its id within that. */
export function publicId(organizationId: string, id: string): string {
  return `${organizationId}${SEPARATOR}${id}`
}

/** What an id names; null: nothing can have it. A mistyped text may be anything, even a key, and names nothing then. */
export function namedBy(text: string): Named | null {
  const [organizationId = '', id = '', ...more] = text.split(SEPARATOR)
  const isOne = /^(?:wh_[\w-]{1,64}|whd_[\w-]{1,200})$/.test(id) && more.length === 0
  return isOne && isOrganizationId(organizationId) && !hasGoodChecksum(organizationId)
    ? { organizationId, id }
    : null
}

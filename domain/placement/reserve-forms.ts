import type { HeldForm } from '../../ports/placement.ts'
import { toInstant } from '../text/instant.ts'
import type { Places } from './at-place.ts'
import { atPlace } from './at-place.ts'

/** How long the id of a form stays reserved for an organization that has not stored the form. */
const RESERVED_MS = 3_600_000

/** Reserves ids of forms. Ids that somebody reserved long ago and never used are freed. False: one is taken. */
export async function reserveForms(
  formIds: readonly string[],
  organizationId: string,
  places: Places,
): Promise<boolean> {
  const held = await places.directory.reserveForms(organizationId, formIds)
  if (held === null || held.length === 0) return held !== null
  const freed = await Promise.all(held.map((form) => freeIfUnused(form, places)))
  if (freed.includes(false)) return false
  return (await places.directory.reserveForms(organizationId, formIds))?.length === 0
}

async function freeIfUnused(held: HeldForm, places: Places): Promise<boolean> {
  const { formId, organizationId, reservedAt } = held
  const { directory, clock } = places
  if (reservedAt === null || reservedAt > toInstant(clock.nowMs() - RESERVED_MS)) return false
  const stored = await atPlace(organizationId, places, (storage) =>
    storage.tenant(organizationId).findMany('forms', ['formId'], [formId]),
  )
  if (stored.length > 0) await directory.settleForms(organizationId, [formId])
  else await directory.freeForm(held)
  return stored.length === 0
}

import type { HeldForm } from '../../../ports/placement/placement.ts'
import { forms } from '../../resources/forms.ts'
import { toInstant } from '../../text/instant.ts'
import { atPlace, type LoggedPlaces } from '../find/at-place.ts'

/** How long the id of a form stays reserved for an organization that has not stored the form. */
const RESERVED_MS = 3_600_000

/** Reserves ids of forms. Ids that were reserved long ago and never used are freed. False: one of the ids is taken. */
export async function reserveForms(
  formIds: readonly string[],
  organizationId: string,
  places: LoggedPlaces,
): Promise<boolean> {
  const held = await places.directory.reserveForms(organizationId, formIds)
  if (held === null || held.length === 0) return held !== null
  if ((await freeUnused(held, places)).length > 0) return false
  return (await places.directory.reserveForms(organizationId, formIds))?.length === 0
}

/** The given ids that other organizations hold. Ids that were reserved long ago and never used are freed. */
export async function formsOfOthers(
  formIds: readonly string[],
  organizationId: string,
  places: LoggedPlaces,
): Promise<readonly string[]> {
  const held = await places.directory.formsOfOthers(organizationId, formIds)
  return (await freeUnused(held, places)).map(({ formId }) => formId)
}

/** Frees ids that were reserved long ago for forms that do not exist. Returns the ids that remain held. */
async function freeUnused(held: readonly HeldForm[], places: LoggedPlaces): Promise<readonly HeldForm[]> {
  const until = toInstant(places.clock.nowMs() - RESERVED_MS)
  const isOld = ({ reservedAt }: HeldForm) => reservedAt !== null && reservedAt <= until
  const kept = held.filter((form) => !isOld(form))
  for (const [organizationId, theirs] of Map.groupBy(held.filter(isOld), (form) => form.organizationId)) {
    const stored = await storedOf(theirs, organizationId, places)
    const used = theirs.filter(({ formId }) => stored?.has(formId) ?? true)
    kept.push(...used)
    if (stored === null) continue
    const unused = theirs.filter(({ formId }) => !stored.has(formId))
    await places.directory.settleForms(organizationId, idsOf(used))
    await places.directory.freeForms(organizationId, idsOf(unused), until)
  }
  return kept
}

const idsOf = (held: readonly HeldForm[]) => held.map(({ formId }) => formId)

/**
 * The held ids for which the holder has stored a form. Null: the holder's database does not answer, so it may have all
 * of them.
 */
async function storedOf(
  held: readonly HeldForm[],
  organizationId: string,
  places: LoggedPlaces,
): Promise<ReadonlySet<string> | null> {
  try {
    const rows = await atPlace(organizationId, places, (storage) =>
      storage.tenant(organizationId).findMany(forms.collection, [forms.idField], idsOf(held)),
    )
    return new Set(rows.map(({ formId }) => String(formId)))
  } catch (cause) {
    places.log.error('family_unanswered', { organizationId }, cause)
    return null
  }
}

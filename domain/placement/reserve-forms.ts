import type { HeldForm } from '../../ports/placement.ts'
import { toInstant } from '../text/instant.ts'
import type { AllPlaces } from './at-place.ts'
import { atPlace } from './at-place.ts'

/** How long the id of a form stays reserved for an organization that has not stored the form. */
const RESERVED_MS = 3_600_000

/** Reserves ids of forms. Ids that somebody reserved long ago and never used are freed. False: one is taken. */
export async function reserveForms(
  formIds: readonly string[],
  organizationId: string,
  places: AllPlaces,
): Promise<boolean> {
  const held = await places.directory.reserveForms(organizationId, formIds)
  if (held === null || held.length === 0) return held !== null
  if ((await freeUnused(held, places)).length > 0) return false
  return (await places.directory.reserveForms(organizationId, formIds))?.length === 0
}

/** Those of the ids that other organizations hold. Ids that somebody reserved long ago and never used are freed. */
export async function formsOfOthers(
  formIds: readonly string[],
  organizationId: string,
  places: AllPlaces,
): Promise<readonly string[]> {
  const held = await places.directory.formsOfOthers(organizationId, formIds)
  return (await freeUnused(held, places)).map(({ formId }) => formId)
}

/** Frees ids that were reserved long ago for forms that are not there. Returns those that stay held. */
async function freeUnused(held: readonly HeldForm[], places: AllPlaces): Promise<readonly HeldForm[]> {
  const until = toInstant(places.clock.nowMs() - RESERVED_MS)
  const isOld = ({ reservedAt }: HeldForm) => reservedAt !== null && reservedAt <= until
  const kept = held.filter((form) => !isOld(form))
  for (const [organizationId, forms] of Map.groupBy(held.filter(isOld), (form) => form.organizationId)) {
    const stored = await storedOf(forms, organizationId, places)
    const used = forms.filter(({ formId }) => stored?.has(formId) ?? true)
    kept.push(...used)
    if (stored === null) continue
    const unused = forms.filter(({ formId }) => !stored.has(formId))
    await places.directory.settleForms(organizationId, idsOf(used))
    await places.directory.freeForms(organizationId, idsOf(unused), until)
  }
  return kept
}

const idsOf = (forms: readonly HeldForm[]) => forms.map(({ formId }) => formId)

/** Which of them the holder has stored. Null: its database does not answer, so it may have all of them. */
async function storedOf(
  forms: readonly HeldForm[],
  organizationId: string,
  places: AllPlaces,
): Promise<ReadonlySet<string> | null> {
  try {
    const rows = await atPlace(organizationId, places, (storage) =>
      storage.tenant(organizationId).findMany('forms', ['formId'], idsOf(forms)),
    )
    return new Set(rows.map(({ formId }) => String(formId)))
  } catch {
    return null
  }
}

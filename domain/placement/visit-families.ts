import type { OwnPlace, PlaceDirectory } from '../../ports/placement.ts'
import type { Log } from '../../ports/log.ts'
import type { Storage } from '../../ports/storage.ts'
import { eachOf, within } from '../bounds/within.ts'
import type { AllPlaces } from './at-place.ts'

/** Most families of one visit, so that a request never asks more databases than the platform lets it. */
export const FAMILIES_MAX = 50

/** Databases that are asked at once: a Worker has six connections. */
export const WIDTH = 4

/** How long one database may take, in ms. */
const ANSWER_MS = 10_000

/** What a visit of some families brought. */
export interface Visit<Result> {
  /** In the order of the families' ids. */
  readonly results: readonly { readonly familyId: string; readonly result: Result }[]
  /** Families whose databases did not answer. */
  readonly unanswered: readonly string[]
  /** After which family the next visit begins; null: there is none left. */
  readonly next: string | null
}

/** What visiting families needs. */
export type VisitingPlaces = Pick<AllPlaces, 'storageAt' | 'deadline'> & {
  readonly directory: Pick<PlaceDirectory, 'families'>
  readonly log: Log
}

/**
 * Does work in the databases of the next families, a few at a time. Never rejects because of one of them: it is named
 * instead.
 */
export async function visitFamilies<Result>(
  afterId: string | null,
  places: VisitingPlaces,
  work: (storage: Storage, familyId: string) => Promise<Result>,
): Promise<Visit<Result>> {
  const families = await places.directory.families(afterId, FAMILIES_MAX)
  const found = await askEach(
    families.map(({ place }) => place),
    places,
    work,
  )
  const next = families.length === FAMILIES_MAX ? (families.at(-1)?.place.familyId ?? null) : null
  return { ...found, next }
}

/** Does work in the databases of these families, a few at a time. */
export async function askEach<Result>(
  families: readonly OwnPlace[],
  { storageAt, deadline, log }: Pick<VisitingPlaces, 'storageAt' | 'deadline' | 'log'>,
  work: (storage: Storage, familyId: string) => Promise<Result>,
): Promise<Omit<Visit<Result>, 'next'>> {
  const results = new Map<string, Result>()
  const unanswered: string[] = []
  await eachOf(families, WIDTH, async (place) => {
    const { familyId } = place
    try {
      results.set(familyId, await within(deadline, ANSWER_MS, work(storageAt(place), familyId)))
    } catch (cause) {
      unanswered.push(familyId)
      log.error('family_unanswered', { familyId }, cause)
    }
  })
  const inOrder = families.flatMap(({ familyId }) => {
    const result = results.get(familyId)
    return result === undefined ? [] : [{ familyId, result }]
  })
  return { results: inOrder, unanswered: unanswered.toSorted() }
}

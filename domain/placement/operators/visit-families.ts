import type { OwnPlace, PlaceDirectory } from '../../../ports/placement/placement.ts'
import type { Log } from '../../../ports/platform.ts'
import type { Storage } from '../../../ports/storage.ts'
import { ANSWER_MS, CONNECTIONS_WIDTH } from '../../limits/limits.ts'
import { eachOf, within } from '../../limits/waiting.ts'
import type { AllPlaces } from '../find/at-place.ts'
import { ElsewhereError } from '../find/errors.ts'
import type { Gaps } from './places-list.ts'

/** The maximum number of families in one visit, because the platform limits the calls of a request. */
export const FAMILIES_MAX = 50

/** The result of visiting some families. */
export interface Visit<Result> extends Gaps {
  /** In the order of the families' ids. */
  readonly results: readonly { readonly familyId: string; readonly result: Result }[]
  /** The family after which the next visit begins; null: there are no more. */
  readonly next: string | null
}

/** The ports that visiting families needs. */
export type VisitingPlaces = Pick<AllPlaces, 'storageAt' | 'deadline'> & {
  readonly directory: Pick<PlaceDirectory, 'families' | 'placeOf'>
  readonly log: Log
}

/**
 * Does work in the databases of the next families, a few at a time. A database that fails does not reject the visit:
 * its family is listed as a gap.
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

/** Does work in the databases of the given families, a few at a time. */
export async function askEach<Result>(
  families: readonly OwnPlace[],
  places: VisitingPlaces,
  work: (storage: Storage, familyId: string) => Promise<Result>,
): Promise<Omit<Visit<Result>, 'next'>> {
  const { storageAt, deadline, log } = places
  const results = new Map<string, Result>()
  const unanswered: string[] = []
  const unfinished: string[] = []
  await eachOf(families, CONNECTIONS_WIDTH, async (place) => {
    const { familyId } = place
    try {
      results.set(familyId, await within(deadline, ANSWER_MS, work(storageAt(place, true), familyId)))
    } catch (cause) {
      const isUnfinished = cause instanceof ElsewhereError && (await isStill(place, places))
      if (isUnfinished) unfinished.push(familyId)
      else {
        unanswered.push(familyId)
        log.error('family_unanswered', { familyId }, cause)
      }
    }
  })
  const inOrder = families.flatMap(({ familyId }) => {
    const result = results.get(familyId)
    return result === undefined ? [] : [{ familyId, result }]
  })
  return { results: inOrder, unanswered: unanswered.toSorted(), unfinished: unfinished.toSorted() }
}

/**
 * Whether the directory still names this place. If so, a database that knows of no family was never filled; else the
 * family has just moved.
 */
async function isStill(
  { familyId, generation }: OwnPlace,
  { directory, log }: Pick<VisitingPlaces, 'directory' | 'log'>,
): Promise<boolean> {
  try {
    return (await directory.placeOf(familyId))?.generation === generation
  } catch (cause) {
    log.error('directory_unanswered', { familyId }, cause)
    return false
  }
}

import type { OwnPlace, PlaceDirectory } from '../../../ports/placement.ts'
import type { Log } from '../../../ports/platform.ts'
import type { Storage } from '../../../ports/storage.ts'
import { eachOf, within, ANSWER_MS, CONNECTIONS_WIDTH } from '../../limits/waiting.ts'
import type { AllPlaces } from './at-place.ts'
import { ElsewhereError } from './errors.ts'
import type { Position } from '../../../ports/records.ts'

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

/** The families that a reply over several databases leaves out, by their root organizations. */
export interface Gaps {
  /** Their databases did not answer. */
  readonly unanswered: readonly string[]
  /** Their creation was begun and never finished, so they have no rows that could be missing. */
  readonly unfinished: readonly string[]
}

/** The gaps of a reply that leaves out nothing. */
export const NO_GAPS: Gaps = { unanswered: [], unfinished: [] }

/** A part of a list over several databases. */
export interface PlacesList<Row, After> extends Gaps {
  readonly rows: readonly Row[]
  /** Where the list continues; null: it ends here. */
  readonly next: After | null
}

/** Where a list of entries over all places continues. */
export interface PlacedOutboxPosition {
  /** Null: in the shared place. */
  readonly familyId: string | null
  /** After this entry; null: after all entries of the place. */
  readonly entry: Position | null
}

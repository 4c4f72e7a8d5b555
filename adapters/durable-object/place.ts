import type { DurableObjectJurisdiction, DurableObjectLocationHint } from '@cloudflare/workers-types'
import type { FamilyObject } from './protocol.ts'

/** Where a family's object is. */
export interface FamilyPlace {
  readonly familyId: string
  /** Grows with each move of the family, so that no object is used again. */
  readonly generation: number
  /** Where the platform should put the object, one of its location hints; null: near the first who asks. */
  readonly region: string | null
  /** Where the object must stay, by law; part of what names it. Null: anywhere. */
  readonly jurisdiction: string | null
}

/** The part of the platform's namespace of objects that is used here. */
export interface FamilyNamespace {
  idFromName(name: string): FamilyObjectId
  get(id: FamilyObjectId, options?: { locationHint?: DurableObjectLocationHint }): unknown
  jurisdiction(jurisdiction: DurableObjectJurisdiction): FamilyNamespace
}

/** Names one object. Nothing is read from it here. */
export type FamilyObjectId = object

/**
 * A stub of a family's object. No I/O. Throws when the platform does not know the jurisdiction; the local runtime knows
 * none, and an object that must stay in one is never put elsewhere.
 */
export function stubOf(
  namespace: FamilyNamespace,
  { familyId, generation, region, jurisdiction }: FamilyPlace,
): FamilyObject {
  const within =
    jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction as DurableObjectJurisdiction)
  const id = within.idFromName(`${familyId}.${generation}`)
  const hint = region === null ? {} : { locationHint: region as DurableObjectLocationHint }
  // The platform's own type of a stub follows the class, which only the Worker may import.
  return within.get(id, hint) as FamilyObject
}

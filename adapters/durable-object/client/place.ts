import type { DurableObjectJurisdiction, DurableObjectLocationHint } from '@cloudflare/workers-types'
import type { FamilyObject } from '../protocol.ts'

/** Where a family's object is. */
export interface FamilyPlace {
  readonly familyId: string
  /** Grows with each move of the family, so that no object is ever reused. */
  readonly generation: number
  /** The platform's location hint for the object; null: near the client whose request creates it. */
  readonly region: string | null
  /** The jurisdiction in which the object must stay by law. It is part of the object's name. Null: anywhere. */
  readonly jurisdiction: string | null
}

/** The part of the platform's namespace of objects that is used here. */
export interface FamilyNamespace {
  idFromName(name: string): FamilyObjectId
  get(id: FamilyObjectId, options?: { locationHint?: DurableObjectLocationHint }): unknown
  jurisdiction(jurisdiction: DurableObjectJurisdiction): FamilyNamespace
}

/** The id of one object. It is opaque: only the namespace reads it. */
export type FamilyObjectId = object

/** Whether the platform knows a jurisdiction. No I/O. The local runtime knows none. */
export function knowsJurisdiction(namespace: FamilyNamespace, jurisdiction: string): boolean {
  try {
    namespace.jurisdiction(jurisdiction as DurableObjectJurisdiction)
    return true
  } catch {
    return false
  }
}

/**
 * A stub of a family's object. No I/O. Throws when the platform does not know the jurisdiction, so an object that must
 * stay in one is never put elsewhere.
 */
export function stubOf(
  namespace: FamilyNamespace,
  { familyId, generation, region, jurisdiction }: FamilyPlace,
): FamilyObject {
  const within =
    jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction as DurableObjectJurisdiction)
  const id = within.idFromName(`${familyId}.${generation}`)
  const hint = region === null ? {} : { locationHint: region as DurableObjectLocationHint }
  // The platform's own stub type depends on the object's class, which only the Worker may import.
  return within.get(id, hint) as FamilyObject
}

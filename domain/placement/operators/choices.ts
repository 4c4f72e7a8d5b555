import type { Jurisdiction, Place, Region } from '../../../ports/placement.ts'
import { keysOf } from '../../text/encoding.ts'

const regionNames: Readonly<Record<Region, true>> = {
  wnam: true,
  enam: true,
  sam: true,
  weur: true,
  eeur: true,
  apac: true,
  oc: true,
  afr: true,
  me: true,
}

const jurisdictionNames: Readonly<Record<Jurisdiction, true>> = { eu: true, us: true, fedramp: true }

/** The kinds of places: the database that families share, and one of a family's own. */
export const placeKinds = ['shared', 'own'] as const satisfies readonly Place['kind'][]

/** The regions in which a family's database can be created. */
export const regions = keysOf(regionNames)

/** The jurisdictions in which a family's database can be required to stay. */
export const jurisdictions = keysOf(jurisdictionNames)

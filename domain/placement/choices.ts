import type { Jurisdiction, Region } from '../../ports/placement.ts'

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

/** Where a family's database may be asked to be. */
export const regions = Object.keys(regionNames) as Region[]

/** Where a family's database may have to stay. */
export const jurisdictions = Object.keys(jurisdictionNames) as Jurisdiction[]

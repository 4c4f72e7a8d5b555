import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { ImportSessions } from '../../ports/import-sessions.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { PosWriter } from '../../ports/sources.ts'
import type { Lookup } from './check.ts'
import type { ImportTools } from './kinds.ts'
import type { ImportContext } from '../record/field.ts'
import { phoneToE164 } from '../text/phone-number.ts'

/** The ports that the imports of one organization need. */
export interface ImportWorld {
  readonly organization: Organization
  readonly sessions: ImportSessions
  readonly lookup: Lookup
  readonly tools: ImportTools
  readonly clock: Clock
  readonly random: RandomSource
  /** Called only for kinds that are stored at a point of sale. */
  readonly pos: () => PosDestination
}

/**
 * The writer for an organization's rows of a point of sale, or a sentence that says why they cannot be imported here.
 */
export type PosDestination = { readonly writer: PosWriter } | { readonly refusal: string }

/** The settings of an organization on which reading its imports depends. */
export function importContext({
  organizationId,
  phoneCountry,
}: Pick<Organization, 'organizationId' | 'phoneCountry'>): ImportContext {
  return { organizationId, phoneCountry, toE164: (text) => phoneToE164(text, phoneCountry) }
}

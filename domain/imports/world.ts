import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { ImportSession, ImportSessions } from '../../ports/import-sessions.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { PosWriter } from '../../ports/sources.ts'
import type { Lookup } from './check/check-part.ts'
import type { ImportTools } from './kinds/kinds.ts'

/**
 * The writer for an organization's rows of a point of sale, or a sentence that says why they cannot be imported here.
 */
export type PosDestination = { readonly writer: PosWriter } | { readonly refusal: string }

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

/** The outcome of a request about an import. */
export type ImportAnswer =
  | { readonly kind: 'session'; readonly session: ImportSession }
  /** The organization has no import of that id. */
  | { readonly kind: 'missing' }
  /** The request does not fit the state of the import. Nothing was changed. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** The request can never succeed as it is. Nothing was changed. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** A part did not arrive as it was sent: nothing was changed, and it may be sent again. */
  | { readonly kind: 'damaged'; readonly message: string }

export function conflict(message: string): ImportAnswer {
  return { kind: 'conflict', message }
}

import type { InstantRange } from './analytics.ts'
import type { SourceFailure } from './record-source.ts'

/** How often a reason was picked, by its code exactly as it was recorded. */
export interface ReasonCount {
  readonly code: string
  readonly count: number
}

export type ReasonCounts =
  | {
      readonly kind: 'counts'
      /** One entry for each code that was picked in the range, in any order. */
      readonly counts: readonly ReasonCount[]
    }
  | SourceFailure

/** The reasons that members of one organization picked when canceling. */
export interface TenantExitSurvey {
  /**
   * Counts what was picked within the range: an event counts once, however often it was delivered. Never rejects.
   * @param signal abandons the query: the source then answers `unavailable`, or the caller stops waiting for it
   */
  countReasons(range: InstantRange, signal: AbortSignal): Promise<ReasonCounts>
}

/** Where events of the exit survey are kept: this service's own storage, or an analytics database. */
export interface ExitSurveySource {
  /** Opens one organization's. No I/O. */
  open(organizationId: string): TenantExitSurvey
}

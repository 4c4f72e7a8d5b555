import type { InstantRange } from '../records/analytics.ts'
import type { SourceFailure } from '../records/record-source.ts'

/** How often a reason was chosen. Its code is exactly the recorded one. */
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
   * Counts the chosen reasons in the range. An event counts once, however often it was delivered. Never rejects.
   * @param signal cancels the query: the source then answers `unavailable`, or the caller stops waiting for it
   */
  countReasons(range: InstantRange, signal: AbortSignal): Promise<ReasonCounts>
}

/** The store of exit-survey events: this service's own storage, or an analytics database. */
export interface ExitSurveySource {
  /** Opens the survey of one organization. No I/O. */
  open(organizationId: string): TenantExitSurvey
}

/** A range of UTC instants with milliseconds. Both bounds are included; null: not bounded on that side. */
export interface InstantRange {
  readonly start: string | null
  readonly end: string | null
}

/** One membership as the members export shows it. Unknown values are null. */
export interface MemberRecord {
  readonly membershipId: string
  readonly customerId: string | null
  /** `YYYY-MM-DD`. */
  readonly signupDate: string | null
  readonly status: 'active' | 'churned'
  readonly churnType: 'voluntary' | 'involuntary' | null
  /** The date as it was imported: `YYYY-MM-DD`, or a UTC instant with milliseconds. */
  readonly cancelDate: string | null
  /** Whole days from signup to cancellation; null for a member who is active, or when either is unknown. */
  readonly tenureDays: number | null
  readonly planName: string | null
  readonly billingAmountCents: number | null
  readonly billingSiteCode: string | null
  readonly billingSiteName: string | null
  readonly creationSiteCode: string | null
  readonly creationSiteName: string | null
  readonly isOnTrial: boolean
  readonly trialAmountCents: number | null
  readonly tags: readonly string[]
}

export interface MembersQuery {
  /** Null: members of either status. */
  readonly status: MemberRecord['status'] | null
  /** A signup day counts as its first instant. A member of unknown signup is only in a range without bounds. */
  readonly signup: InstantRange
  /** The maximum number of rows to return, and how many rows of the order to skip before them. */
  readonly limit: number
  readonly offset: number
}

/** How cohorts are divided besides by month: not at all, by the plan's name, or by the billing site's code. */
export type CohortDimension = 'none' | 'plan' | 'site'

export interface CohortsQuery {
  readonly dimension: CohortDimension
  /** `YYYY-MM`, both included; null: not bounded on that side. */
  readonly firstMonth: string | null
  readonly lastMonth: string | null
}

/** Members of one signup month and one value of the dimension. */
export interface CohortCount {
  /** `YYYY-MM`. */
  readonly month: string
  /** Null when unknown, and for the dimension `none`. */
  readonly value: string | null
  readonly members: number
  /**
   * How many of these members churned, and how many of those voluntarily and involuntarily. For the rest of them the
   * type is unknown.
   */
  readonly churned: number
  readonly voluntary: number
  readonly involuntary: number
  /** How many churned within this many whole days after their signup. The counts are cumulative. */
  readonly churnedWithinDays: Readonly<Record<ChurnHorizonDays, number>>
}

export type ChurnHorizonDays = 30 | 60 | 90 | 180 | 365

export interface Cohorts {
  /** The cohorts with members, in any order. */
  readonly cohorts: readonly CohortCount[]
  /** The counts are over the whole organization, whatever the range. */
  readonly members: number
  readonly membersWithSignupDate: number
}

/** Events of one offer within a range. */
export interface OfferCount {
  readonly offerId: string
  readonly viewed: number
  readonly accepted: number
  readonly declined: number
  /**
   * The value in the latest event of the range; of several events at one instant, in the one with the greatest event
   * id.
   */
  readonly offerName: string
  readonly targetPlanName: string | null
  readonly targetPlanPriceCents: number | null
}

/** Members with the same decision, and the revenue from those who have any known billing event. */
export interface DecisionRevenue {
  readonly members: number
  readonly membersWithRevenue: number
  /** Payments less refunds over all of a member's billing events; an event of unknown amount adds nothing. */
  readonly revenueCents: number
  /** The revenue of the one or two members in the middle, as a pair; null when there is none. */
  readonly middleCents: readonly [number, number] | null
}

/**
 * Members grouped by their last decision within a range; of several at one instant, the one with the greatest event id.
 */
export interface RevenueByDecision {
  readonly accepted: DecisionRevenue
  readonly declined: DecisionRevenue
}

/** Churned members with the same type and reason. */
export interface CancellationCount {
  readonly reason: string | null
  readonly churnType: 'voluntary' | 'involuntary' | null
  readonly count: number
}

/** How long churned members had stayed, in whole days. */
export interface TenureSummary {
  /** Members whose tenure is known. The figures below are about these members. */
  readonly known: number
  /** All other members: a date is unknown, or the cancellation is before the signup. */
  readonly unknown: number
  /** The sum of their tenures. */
  readonly totalDays: number
  /** How many had stayed at most this many days. The counts are cumulative. */
  readonly membersWithinDays: Readonly<Record<TenureHorizonDays, number>>
  /** The tenure of the one or two members in the middle, as a pair; null when there is none. */
  readonly middleDays: readonly [number, number] | null
}

export type TenureHorizonDays = 30 | 90 | 180 | 365 | 730

/** Cancellations of a range. All figures are read at the same moment. */
export interface Cancellations {
  /** In any order, without groups of zero members. */
  readonly reasons: readonly CancellationCount[]
  readonly tenure: TenureSummary
}

/**
 * Figures about one organization's memberships. The store computes them: it returns pages and counts. Each method reads
 * one consistent view. A cancellation is a churned membership. Its date is an instant, and a plain day counts as its
 * first instant. A cancellation without a date is only in a range without bounds.
 */
export interface TenantAnalytics {
  /** A page of members: latest signup first, unknown ones last, then by membership id ascending. */
  members(query: MembersQuery): Promise<readonly MemberRecord[]>
  /** Members by the month of their signup. Members whose signup is unknown are in no cohort. */
  cohorts(query: CohortsQuery): Promise<Cohorts>
  /** The offers with any event in the range, in any order. */
  retentionOffers(range: InstantRange): Promise<readonly OfferCount[]>
  /** The revenue from members who decided on an offer. Events that name no membership are left out. */
  revenueByDecision(range: InstantRange): Promise<RevenueByDecision>
  cancellations(range: InstantRange): Promise<Cancellations>
}

/** Opens one organization's figures. There is no other way to reach them. */
export interface Analytics {
  /** No I/O. */
  open(organizationId: string): TenantAnalytics
}

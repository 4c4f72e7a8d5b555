/** Both bounds belong to the range. UTC instants with milliseconds; null: not bounded on that side. */
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
  /** As it was imported: `YYYY-MM-DD`, or a UTC instant with milliseconds. */
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
  /** A signup day counts as its first instant. A member of unknown signup is in no range that is bounded at all. */
  readonly signup: InstantRange
  /** The most rows to return, and how many rows of the order to skip before them. */
  readonly limit: number
  readonly offset: number
}

/** What cohorts are split by besides the month: nothing, the plan's name, or the billing site's code. */
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
   * How many of these members churned; and of those, how many voluntarily and how many involuntarily. The type of the
   * others is unknown.
   */
  readonly churned: number
  readonly voluntary: number
  readonly involuntary: number
  /** How many churned within this many whole days after their signup. The counts are cumulative. */
  readonly churnedWithinDays: Readonly<Record<ChurnHorizonDays, number>>
}

export type ChurnHorizonDays = 30 | 60 | 90 | 180 | 365

export interface Cohorts {
  /** None without members, in any order. */
  readonly cohorts: readonly CohortCount[]
  /** Of the whole organization, whatever the range. */
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
  /** Members whose tenure is known. The figures below are theirs. */
  readonly known: number
  /** The others: an unknown date, or a cancellation before the signup. */
  readonly unknown: number
  /** The sum of their tenures. */
  readonly totalDays: number
  /** How many had stayed at most this many days. The counts are cumulative. */
  readonly membersWithinDays: Readonly<Record<TenureHorizonDays, number>>
  /** The tenure of the one or two members in the middle, as a pair; null when there is none. */
  readonly middleDays: readonly [number, number] | null
}

export type TenureHorizonDays = 30 | 90 | 180 | 365 | 730

/** Cancellations of a range; all figures are of the same moment. */
export interface Cancellations {
  /** In any order, without groups of zero members. */
  readonly reasons: readonly CancellationCount[]
  readonly tenure: TenureSummary
}

/**
 * Figures about one organization's memberships, computed by the store: it returns pages and counts. Each method reads
 * one consistent view. A cancellation is a churned membership. Its date is an instant (a plain day means its first
 * instant); without a date, it is in no range that has a bound.
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

/** Opens one organization's figures. They cannot be reached in any other way. */
export interface Analytics {
  /** No I/O. */
  open(organizationId: string): TenantAnalytics
}

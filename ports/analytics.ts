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
  /** Most rows to return, and how many in order to pass over before them. */
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
  /** Of these: those who churned, and of those the ones known as either type. */
  readonly churned: number
  readonly voluntary: number
  readonly involuntary: number
  /** Those who churned when at most so many whole days had passed since their signup; cumulative. */
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
  /** As its latest event within the range says; of several at one instant, the one of the greatest event id. */
  readonly offerName: string
  readonly targetPlanName: string | null
  readonly targetPlanPriceCents: number | null
}

/** Members who decided alike, and what was collected from those of whom any billing event is known. */
export interface DecisionRevenue {
  readonly members: number
  readonly membersWithRevenue: number
  /** Payments less refunds over all of a member's billing events; an event of unknown amount adds nothing. */
  readonly revenueCents: number
  /** The revenue of the one or two members in the middle, as a pair; null when there is none. */
  readonly middleCents: readonly [number, number] | null
}

/** Groups by each member's last decision within a range (at one instant, that of the greatest event id). */
export interface RevenueByDecision {
  readonly accepted: DecisionRevenue
  readonly declined: DecisionRevenue
}

/** Churned members who left alike. */
export interface CancellationCount {
  readonly reason: string | null
  readonly churnType: 'voluntary' | 'involuntary' | null
  readonly count: number
}

/** Churned members who had stayed for so many whole days. */
export interface TenureCount {
  /** Null when unknown: an unknown date, or a cancellation before the signup. */
  readonly days: number | null
  readonly count: number
}

/** Cancellations of a range, grouped in two ways; both groupings are of the same moment. */
export interface Cancellations {
  /** None with a count of zero, in any order; as are the tenures. */
  readonly reasons: readonly CancellationCount[]
  readonly tenures: readonly TenureCount[]
}

/**
 * Figures about the memberships of one organization, made where the data is: what comes back are pages and counts. Each
 * method is one consistent view. A cancellation is a churned membership; its date, when it has one, is an instant (a
 * plain day stands for its first), and without one it is in no range that is bounded at all.
 */
export interface TenantAnalytics {
  /** A page of members: latest signup first, unknown ones last, then by membership id ascending. */
  members(query: MembersQuery): Promise<readonly MemberRecord[]>
  /** Members by the month of their signup; those of an unknown one are in no cohort. */
  cohorts(query: CohortsQuery): Promise<Cohorts>
  /** The offers with any event in the range, in any order. */
  retentionOffers(range: InstantRange): Promise<readonly OfferCount[]>
  /** What members who decided on an offer brought in. Events that name no membership are left out. */
  revenueByDecision(range: InstantRange): Promise<RevenueByDecision>
  cancellations(range: InstantRange): Promise<Cancellations>
}

/** Opens one organization's figures. There is no other way to them. */
export interface Analytics {
  /** No I/O. */
  open(organizationId: string): TenantAnalytics
}

import type { RowOf } from '../../../domain/record/resource.ts'
import {
  cancellationInstant,
  siteOf,
  tenureDaysOf,
} from '../../../domain/resources/cancellations/membership.ts'
import type { memberships } from '../../../domain/resources/members/memberships.ts'
import type { StoredRow } from '../../../ports/index.ts'

/** The fields in which a test's membership differs from the default one. */
export type MembershipChanges = Partial<RowOf<typeof memberships>>

/** A membership as an import stores it: the given fields and those that are derived from them. */
function withDerived(
  given: StoredRow &
    Parameters<typeof cancellationInstant>[0] &
    Parameters<typeof tenureDaysOf>[0] &
    Parameters<typeof siteOf>[0],
): StoredRow {
  const canceledAt = cancellationInstant(given)
  return {
    ...given,
    ...siteOf(given),
    canceledAt,
    isCancellation: canceledAt !== null,
    tenureDays: tenureDaysOf(given),
  }
}

/** An active membership of which only the id, a signup date and the given changes are known. */
export function storedMembership(membershipId: string, changes: MembershipChanges = {}): StoredRow {
  return withDerived({
    membershipId,
    customerId: null,
    signupDate: '2025-01-15',
    status: 'active',
    churnType: null,
    cancelDate: null,
    cancelReason: null,
    planName: null,
    billingAmountCents: null,
    billingInterval: null,
    billingSiteCode: null,
    billingSiteName: null,
    creationSiteCode: null,
    creationSiteName: null,
    isOnTrial: false,
    trialAmountCents: null,
    tags: [],
    ...changes,
  })
}

/** Import lines of one organization, few enough that a person can count them. */

const none = {
  customerId: null,
  churnType: null,
  cancelDate: null,
  cancelReason: null,
  planName: null,
  billingAmountCents: null,
  billingSiteCode: null,
  isOnTrial: false,
  tags: [],
}

/**
 * Eight members, few enough to count by hand. "Now" is 15 June 2026, noon.
 *
 *   id   signup       plan     status                        stayed
 *   m1   2026-01-31   Basic    churned 2026-02-28, moved     28 days, voluntary
 *   m2   2026-01-31   Basic    churned 2026-03-02, moved     30 days, voluntary
 *   m3   2026-01-01   Deluxe   churned 2026-03-31T23:59:59Z  89 days, involuntary (the 90th is not over), card
 *   m4   2026-01-01   -        active                        165 days until now
 *   m5   2026-02-01   Basic    churned 2026-01-31            unknown: before the signup; type and reason unknown
 *   m6   2026-02-01   Basic    active                        134 days until now
 *   m7   unknown      Deluxe   churned 2026-03-01, moved     unknown, voluntary
 *   m8   unknown      -        churned, unknown when         unknown, involuntary, moved
 */
export const members = [
  { ...none, membershipId: 'm1', signupDate: '2026-01-31', planName: 'Basic', status: 'churned', cancelDate: '2026-02-28', churnType: 'voluntary', cancelReason: 'moved' }, // prettier-ignore
  { ...none, membershipId: 'm2', signupDate: '2026-01-31', planName: 'Basic', status: 'churned', cancelDate: '2026-03-02', churnType: 'voluntary', cancelReason: 'moved' }, // prettier-ignore
  { ...none, membershipId: 'm3', signupDate: '2026-01-01', planName: 'Deluxe', status: 'churned', cancelDate: '2026-03-31T23:59:59Z', churnType: 'involuntary', cancelReason: 'card' }, // prettier-ignore
  { ...none, membershipId: 'm4', signupDate: '2026-01-01', status: 'active' },
  { ...none, membershipId: 'm5', signupDate: '2026-02-01', planName: 'Basic', status: 'churned', cancelDate: '2026-01-31' }, // prettier-ignore
  { ...none, membershipId: 'm6', signupDate: '2026-02-01', planName: 'Basic', status: 'active', billingAmountCents: 1999 }, // prettier-ignore
  { ...none, membershipId: 'm7', signupDate: null, planName: 'Deluxe', status: 'churned', cancelDate: '2026-03-01', churnType: 'voluntary', cancelReason: 'moved' }, // prettier-ignore
  { ...none, membershipId: 'm8', signupDate: null, status: 'churned', churnType: 'involuntary', cancelReason: 'moved' }, // prettier-ignore
]

/**
 * Offer 1 is seen three times and accepted once. Offer 2 is seen once and declined. Then offer 1 is renamed, and
 * accepted once more.
 */
export const offers = [
  {
    eventId: 'e1',
    offerId: 'o1',
    offerName: 'Half price',
    event: 'viewed',
    occurredAt: '2026-03-01T00:00:00Z',
  },
  {
    eventId: 'e2',
    offerId: 'o1',
    offerName: 'Half price',
    event: 'viewed',
    occurredAt: '2026-03-02T00:00:00Z',
  },
  {
    eventId: 'e3',
    offerId: 'o1',
    offerName: 'Half price',
    event: 'viewed',
    occurredAt: '2026-03-03T00:00:00Z',
  },
  {
    eventId: 'e4',
    offerId: 'o1',
    offerName: 'Half price',
    event: 'accepted',
    occurredAt: '2026-03-03T00:01:00Z',
  },
  { eventId: 'e5', offerId: 'o2', offerName: 'Pause', event: 'viewed', occurredAt: '2026-03-04T00:00:00Z' },
  { eventId: 'e6', offerId: 'o2', offerName: 'Pause', event: 'declined', occurredAt: '2026-03-04T00:01:00Z' },
  { eventId: 'e7', offerId: 'o1', offerName: '50 % off', targetPlanName: 'Basic', targetPlanPriceCents: 999, event: 'accepted', occurredAt: '2026-04-01T00:00:00Z' }, // prettier-ignore
]

/** Too expensive three times in three spellings, moved once, other twice: six selections. */
export const picked = ['too_expensive', 'Too-Expensive', 'TOO  EXPENSIVE', 'moved', 'other', 'Other'].map(
  (reasonCode, index) => ({
    eventId: `s${index}`,
    reasonCode,
    occurredAt: `2026-03-0${index + 1}T12:00:00Z`,
  }),
)

const DAY_MS = 86_400_000

/** The instant of a timestamp, or the first instant (UTC) of a date `YYYY-MM-DD`. */
export function instantOf(dateOrTimestamp: string): string {
  return dateOrTimestamp.includes('T') ? dateOrTimestamp : `${dateOrTimestamp}T00:00:00.000Z`
}

interface Ending {
  readonly status: string
  readonly cancelDate: string | null
}

/**
 * When a membership was canceled: the cancelDate of a churned one. Null for any other membership, which is not a
 * cancellation record.
 */
export function cancellationInstant({ status, cancelDate }: Ending): string | null {
  return status === 'churned' && cancelDate !== null ? instantOf(cancelDate) : null
}

interface Site {
  readonly siteCode: string | null
  readonly siteName: string | null
}

interface Sites {
  readonly billingSiteCode: string | null
  readonly billingSiteName: string | null
  readonly creationSiteCode: string | null
  readonly creationSiteName: string | null
}

/** The billing site, else the creation site. Code and name always come from the same site. */
export function siteOf(membership: Sites): Site {
  const { billingSiteCode, billingSiteName, creationSiteCode, creationSiteName } = membership
  return billingSiteCode !== null || billingSiteName !== null
    ? { siteCode: billingSiteCode, siteName: billingSiteName }
    : { siteCode: creationSiteCode, siteName: creationSiteName }
}

/** Whole days from the first instant of the signup day to an instant; null when unknown or negative. */
export function tenureDays(signupDate: string | null, at: string): number | null {
  if (signupDate === null) return null
  const days = Math.floor((Date.parse(at) - Date.parse(instantOf(signupDate))) / DAY_MS)
  return days < 0 ? null : days
}

/** Whole days from a membership's signup to its cancellation; null when either is unknown, or it was not canceled. */
export function tenureDaysOf(membership: Ending & { readonly signupDate: string | null }): number | null {
  const canceledAt = cancellationInstant(membership)
  return canceledAt === null ? null : tenureDays(membership.signupDate, canceledAt)
}

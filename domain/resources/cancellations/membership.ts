import type { StoredRow } from '../../../ports/query.ts'

const DAY_MS = 86_400_000

/** The instant of a date (`YYYY-MM-DD`: the first of that day, UTC) or of a timestamp. */
export function instantOf(dateOrTimestamp: string): string {
  return dateOrTimestamp.includes('T') ? dateOrTimestamp : `${dateOrTimestamp}T00:00:00.000Z`
}

/** When a membership was canceled: the cancelDate of a churned one; null for any other, which is no record. */
export function cancellationInstant({ status, cancelDate }: StoredRow): string | null {
  return status === 'churned' && typeof cancelDate === 'string' ? instantOf(cancelDate) : null
}

interface Site {
  readonly siteCode: string | null
  readonly siteName: string | null
}

/** The billing site, else the creation site: its code and its name, never one of each. */
export function siteOf(row: StoredRow): Site {
  const billing = { siteCode: textOf(row.billingSiteCode), siteName: textOf(row.billingSiteName) }
  if (billing.siteCode !== null || billing.siteName !== null) return billing
  return { siteCode: textOf(row.creationSiteCode), siteName: textOf(row.creationSiteName) }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Whole days from the first instant of the signup day to an instant; null when unknown or negative. */
export function tenureDays(signupDate: string | null, at: string): number | null {
  if (signupDate === null) return null
  const days = Math.floor((Date.parse(at) - Date.parse(instantOf(signupDate))) / DAY_MS)
  return days < 0 ? null : days
}

/** Whole days from a membership's signup to its cancellation; null when either is unknown, or it was not canceled. */
export function tenureDaysOf(row: StoredRow): number | null {
  const canceledAt = cancellationInstant(row)
  return canceledAt === null ? null : tenureDays(textOf(row.signupDate), canceledAt)
}

import { sql } from 'kysely'
import type { InstantRange, MemberRecord, MembersQuery } from '../../../ports/analytics.ts'
import { memberFields } from '../../../domain/resources/members/memberships.ts'
import { bind, slot, template, type Template } from '../statement/compiler.ts'
import { decodeRows } from '../table/decode.ts'
import { rowsOf, type Executor, type ResultRow } from '../statement/executor.ts'
import { selectFrom } from '../read/select.ts'
import { tableOf } from '../table/tables.ts'
import { BEHIND_ALL, isBounded } from './range.ts'

const templates = new Map<string, Template<ResultRow>>()

/** Reads a page of members. The rows before the offset are skipped in the index alone. */
export async function readMembers(
  executor: Executor,
  organizationId: string,
  { status, signup, limit, offset }: MembersQuery,
): Promise<readonly MemberRecord[]> {
  const shape = `${status ?? 'all'} ${isBounded(signup)}`
  const page = templates.get(shape) ?? compile(status, isBounded(signup))
  templates.set(shape, page)
  const values = { organizationId, status, ...signupDays(signup), limit, offset }
  const rows = await rowsOf(executor, bind(page, values))
  // The selected fields are known only as a list of names, from which the compiler cannot derive the type of the rows.
  return decodeRows(tableOf('memberships'), memberFields, rows) as unknown as readonly MemberRecord[]
}

function compile(status: MembersQuery['status'], isOfRange: boolean): Template<ResultRow> {
  const members =
    status === null
      ? sql`memberships as t indexed by memberships_signup_date`
      : sql`memberships as t indexed by memberships_status_signup_date`
  const select = selectFrom(tableOf('memberships'), memberFields, 'columns', members)
  return template(sql<ResultRow>`${select} where t.organization_id = ${slot('organizationId')}
    ${status === null ? sql`` : sql`and t.status = ${slot('status')}`}
    ${isOfRange ? sql`and t.signup_date >= ${slot('from')} and t.signup_date <= ${slot('to')}` : sql``}
    order by t.signup_date desc, t.membership_id limit +${slot('limit')} offset +${slot('offset')}`)
}

/**
 * The range as texts between which the days of signup lie. A signup counts as the first instant of its day, so an
 * instant after it leaves its day out: the text that follows the day does so too.
 */
function signupDays({ start, end }: InstantRange): { readonly from: string; readonly to: string } {
  const dayOf = (instant: string) => instant.slice(0, 'YYYY-MM-DD'.length)
  return {
    from: start === null ? '' : start.endsWith('T00:00:00.000Z') ? dayOf(start) : dayOf(start) + BEHIND_ALL,
    to: end === null ? BEHIND_ALL : dayOf(end),
  }
}

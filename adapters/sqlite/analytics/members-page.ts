import { sql } from '../statement/sql.ts'
import type { Sql } from '../statement/sql.ts'
import type { InstantRange, MemberRecord, MembersQuery } from '../../../ports/analytics.ts'
import { memberFields } from '../../../domain/resources/memberships.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { decodeRows } from '../table/decode.ts'
import type { Executor, ResultRow } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { selectFrom } from '../read/select.ts'
import { tableOf } from '../table/tables.ts'
import { memberAt } from './member-place.ts'

const templates = new Map<string, Template<ResultRow>>()

/**
 * Reads a page of members. The row at an offset is found by the counts of months and blocks, without skipping rows one
 * by one.
 */
export async function readMembers(
  executor: Executor,
  organizationId: string,
  { status, signup, limit, offset }: MembersQuery,
): Promise<readonly MemberRecord[]> {
  const shape = `${status ?? 'all'} ${offset > 0}`
  const page = templates.get(shape) ?? compile(status, offset > 0)
  templates.set(shape, page)
  const orders = ordersOf(signup)
  const values = { organizationId, status, ...orders, firstMonth: monthOf(orders.first), limit, offset }
  const rows = await rowsOf(executor, bind(page, values))
  // The selected fields are known only as a list of names, from which the compiler cannot derive the type of the rows.
  return decodeRows(tableOf('memberships'), memberFields, rows) as unknown as readonly MemberRecord[]
}

function compile(status: MembersQuery['status'], hasOffset: boolean): Template<ResultRow> {
  const all = sql`memberships as t indexed by memberships_signup_order`
  const ofStatus = sql`memberships as t indexed by memberships_status_signup_order`
  const members = status === null ? all : ofStatus
  const conditions = sql`t.organization_id = ${slot('organizationId')}
    ${status === null ? sql`` : sql`and t.status = ${slot('status')}`}`
  const select = selectFrom(tableOf('memberships'), memberFields, 'columns', members)
  return template(sql<ResultRow>`${select} where ${conditions}
    and ${hasOffset ? fromMemberAt(status, members, conditions) : sql`t.signup_order >= ${slot('first')}`}
    and t.signup_order <= ${slot('last')}
    order by t.signup_order, t.membership_id limit +${slot('limit')}`)
}

function fromMemberAt(status: MembersQuery['status'], members: Sql, conditions: Sql): Sql {
  return sql`(t.signup_order, t.membership_id) >= (${memberAt(status, members, conditions)})`
}

/** Sorts before every signup order. */
const BEFORE_ALL = -99_999_999

/**
 * The range as values of the column `signup_order`, in which the latest signup comes first. A signup counts as the
 * first instant of its day. Members of unknown signup have 0 and belong only to a range without bounds.
 */
function ordersOf({ start, end }: InstantRange): { readonly first: number; readonly last: number } {
  const first = end === null ? BEFORE_ALL : orderOf(end)
  if (start === null) return { first, last: end === null ? 0 : -1 }
  return { first, last: orderOf(start) - (start.endsWith('T00:00:00.000Z') ? 0 : 1) }
}

/** The signup order of an instant's day, such as -20250131. */
function orderOf(instant: string): number {
  return -Number(instant.slice(0, 'YYYY-MM-DD'.length).replaceAll('-', ''))
}

/** The month of a signup order in the form of `membership_blocks`, such as -202501. */
function monthOf(order: number): number {
  return Math.trunc(order / 100)
}

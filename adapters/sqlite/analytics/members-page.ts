import type { MemberRecord, MembersQuery } from '../../../ports/analytics.ts'
import { memberFields } from '../../../domain/resources/memberships.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { decodeRows } from '../table/decode.ts'
import type { Executor, ResultRow } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { BEHIND_ALL } from './month-split.ts'
import { selectFrom } from '../read/select.ts'
import { tableOf } from '../table/tables.ts'
import { sql } from '../statement/sql.ts'

const templates = new Map<string, Template<ResultRow>>()

/** A page of members. */
export async function readMembers(
  executor: Executor,
  organizationId: string,
  { status, signup, limit, offset }: MembersQuery,
): Promise<readonly MemberRecord[]> {
  const isBounded = signup.start !== null || signup.end !== null
  const shape = `${status !== null} ${isBounded}`
  const page = templates.get(shape) ?? compile(status !== null, isBounded)
  templates.set(shape, page)
  const from = signup.start === null ? '' : firstDayFrom(signup.start)
  const values = { organizationId, status, from, until: signup.end ?? BEHIND_ALL, limit, offset }
  const rows = await rowsOf(executor, bind(page, values))
  // Which fields were selected is a list of names, from which the compiler makes no type of the rows.
  return decodeRows(tableOf('memberships'), memberFields, rows) as unknown as readonly MemberRecord[]
}

/**
 * The rows before the offset are skipped in the index alone: SQLite looks up a table row only for a row that is shown.
 */
function compile(hasStatus: boolean, isBounded: boolean): Template<ResultRow> {
  const index = sql.id(hasStatus ? 'memberships_status_signup_date' : 'memberships_signup_date')
  const conditions = [
    sql`t.organization_id = ${slot('organizationId')}`,
    ...(hasStatus ? [sql`t.status = ${slot('status')}`] : []),
    ...(isBounded ? [sql`t.signup_date >= ${slot('from')} and t.signup_date <= ${slot('until')}`] : []),
  ]
  return template(sql<ResultRow>`
    ${selectFrom(tableOf('memberships'), memberFields, 'columns', sql`memberships as t indexed by ${index}`)}
    where ${sql.join(conditions, sql` and `)}
    order by t.signup_date desc, t.membership_id limit +${slot('limit')} offset +${slot('offset')}`)
}

/**
 * A lower bound for stored days. As text, a day sorts before each instant of that day. So when the bound is the first
 * instant of a day, it is shortened to the day; any other bound stays.
 */
function firstDayFrom(instant: string): string {
  return instant.endsWith('T00:00:00.000Z') ? instant.slice(0, 10) : instant
}

import { sql } from 'kysely'
import type { MemberRecord, MembersQuery } from '../../ports/analytics.ts'
import { memberFields } from '../../domain/resources/memberships.ts'
import type { Template } from './compiler.ts'
import { bind, slot, template } from './compiler.ts'
import { decodeRows } from './decode.ts'
import type { Executor } from './executor.ts'
import { BEHIND_ALL } from './month-split.ts'
import { selectFrom } from './read-query.ts'
import { tableOf } from './tables.ts'

const templates = new Map<string, Template>()

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
  const [found] = await executor.batch([bind(page, values)])
  return decodeRows('memberships', memberFields, found?.results ?? []) as unknown as readonly MemberRecord[]
}

/** The rows that the offset passes over are only stepped over in the index: SQLite looks up a row when it shows it. */
function compile(hasStatus: boolean, isBounded: boolean): Template {
  const index = sql.id(hasStatus ? 'memberships_status_signup_date' : 'memberships_signup_date')
  const conditions = [
    sql`t.organization_id = ${slot('organizationId')}`,
    ...(hasStatus ? [sql`t.status = ${slot('status')}`] : []),
    ...(isBounded ? [sql`t.signup_date >= ${slot('from')} and t.signup_date <= ${slot('until')}`] : []),
  ]
  return template(sql`
    ${selectFrom(tableOf('memberships'), memberFields, sql`memberships as t indexed by ${index}`)}
    where ${sql.join(conditions, sql` and `)}
    order by t.signup_date desc, t.membership_id limit ${slot('limit')} offset ${slot('offset')}`)
}

/**
 * What a stored day is at least when its first instant is not before this one. As text, a day sorts before each of its
 * instants, the first one included, so only that one is cut down to its day.
 */
function firstDayFrom(instant: string): string {
  return instant.endsWith('T00:00:00.000Z') ? instant.slice(0, 10) : instant
}

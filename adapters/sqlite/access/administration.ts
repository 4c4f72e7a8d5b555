import { sql } from 'kysely'
import type { Administration } from '../../../ports/organizations/administration.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { Organization } from '../../../ports/organizations/organization.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { isPlaced } from '../placement/family-row.ts'
import type { Guard } from '../placement/guard.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import type { OrganizationRow } from '../table/access-rows.ts'
import { organizationFromRow, organizationToRow, settingColumns } from '../table/access-rows.ts'
import { nextInstant, nowOf } from '../write/write-clock.ts'
import { createKeys } from './keys.ts'
import { slugTaken } from './slug-taken.ts'

/** Whether the parent does not exist. An organization is never its own parent. */
const parentMissing = sql`(${slot('parent_id')} is not null and (${slot('parent_id')} = ${slot('organization_id')}
  or not exists (select 1 from organizations as other where other.organization_id = ${slot('parent_id')})))`

/** Whether the new parent is below the organization, so that the two would form a circle. */
const parentBelow = sql`(${slot('parent_id')} is not ${slot('organization_id')} and exists (
  with recursive above (id) as (
    select ${slot('parent_id')}
    union
    select other.parent_id from organizations as other join above on other.organization_id = above.id)
  select 1 from above where id = ${slot('organization_id')}))`

const own = sql`from organizations as was where was.organization_id = ${slot('organization_id')}`

/**
 * Whether what is stored is still what the caller expects: the organization exists or not, and its settings are the
 * same.
 */
const unchanged = sql`(${slot('is_expected')} is null or (select count(*) ${own}) = ${slot('is_expected')} and not exists (
  select 1 ${own} and (${sql.join(
    settingColumns.map((column) => sql`${sql.id('was', column)} is not ${slot(`was_${column}`)}`),
    sql` or `,
  )})))`

/** Whether the organization is closed, because its rows are being restored from an archive. */
const isRestoring = sql`exists (select 1 from restores
  where organization_id = ${slot('organization_id')} and ended_at is null)`

const mayBeSaved = sql`not ${slugTaken} and not ${parentMissing} and not ${parentBelow} and ${unchanged}
  and not ${isRestoring}`

const judge = template(
  sql<{
    readonly slug_taken: number
    readonly parent_missing: number
    readonly parent_below: number
    readonly unchanged: number
    readonly is_restoring: number
  }>`select ${slugTaken} as slug_taken, ${parentMissing} as parent_missing,
    ${parentBelow} as parent_below, ${unchanged} as unchanged, ${isRestoring} as is_restoring`,
)

/**
 * A form's answers are read with the organization's country, so changing the country changes the meaning of its forms.
 * Therefore it moves their versions on.
 */
const bumpForms = template(sql`
  update forms set version = version + 1
  where organization_id = ${slot('organization_id')} and ${mayBeSaved} and exists (
    select 1 from organizations as o
    where o.organization_id = ${slot('organization_id')} and o.phone_country <> ${slot('phone_country')})`)

/**
 * The organization's reviews become visible to its new parent (a trigger copies them), and are removed from the old one,
 * so the clocks of both must move on first.
 */
const advanceParents = template(sql`
  update organizations set clock_at = ${nextInstant(sql.id('clock_at'))}
  where organization_id in (${slot('parent_id')}, (select was.parent_id ${own})) and ${mayBeSaved} and exists (
    select 1 from organizations as o
    where o.organization_id = ${slot('organization_id')} and o.parent_id is not ${slot('parent_id')})`)

const isRebounded = sql`${mayBeSaved} and exists (select 1 from organizations as o
  where o.organization_id = ${slot('organization_id')} and o.automation_hourly <> ${slot('automation_hourly')})`

/**
 * With another bound, the messages of automations that wait for the old one ask again, in the order in which they were
 * submitted.
 */
const askAgain = template(sql`
  update outbox set next_attempt_at = created_at where organization_id = ${slot('organization_id')}
    and status = 'pending' and lease_token = '' and waiting_since is not null and ${isRebounded}`)
const forgetPlaces = template(sql`
  delete from automation_messages where organization_id = ${slot('organization_id')} and is_counted = 1
    and not is_sent and ${isRebounded}`)

const saveOrganization = template(sql`
  insert into organizations (organization_id, ${sql.join(settingColumns.map((column) => sql.id(column)))})
  select ${slot('organization_id')}, ${sql.join(settingColumns.map((column) => slot(column)))}
  where ${mayBeSaved}
  on conflict (organization_id) do update set
    ${sql.join(settingColumns.map((column) => sql`${sql.id(column)} = ${sql.id('excluded', column)}`))}`)

const findOrganization = template(sql<OrganizationRow>`
  select * from organizations where organization_id = ${slot('organization_id')}`)

/** Excludes organizations that a move has taken to another database and whose rows are not yet removed here. */
const isHere = sql`not ${isPlaced(sql`organizations.organization_id`)}`
const firstOrganizations = template(sql<OrganizationRow>`
  select * from organizations where ${isHere} order by organization_id limit +${slot('limit')}`)
const nextOrganizations = template(sql<OrganizationRow>`
  select * from organizations where organization_id > ${slot('afterId')} and ${isHere} order by organization_id
  limit +${slot('limit')}`)

/** The administration of organizations and keys. */
export function createAdministration(executor: Executor, clock: Clock, guard: Guard): Administration {
  return {
    async saveOrganization(organization, replaced) {
      const row = { ...organizationToRow(organization), ...expected(replaced), now: nowOf(clock) }
      const { organizationId, parentId } = organization
      const concerned = [organizationId, parentId, replaced?.parentId].filter((id) => typeof id === 'string')
      const [judgement] = await resultsOf(guard({ organizationIds: concerned }), [
        bind(judge, row),
        bind(bumpForms, row),
        bind(advanceParents, row),
        bind(askAgain, row),
        bind(forgetPlaces, row),
        bind(saveOrganization, row),
      ])
      const verdict = judgement.rows[0]
      if (verdict?.is_restoring === 1) return 'restoring'
      if (verdict?.slug_taken === 1) return 'slug_taken'
      if (verdict?.parent_missing === 1) return 'parent_missing'
      if (verdict?.parent_below === 1) return 'parent_below'
      return verdict?.unchanged === 0 ? 'changed' : 'saved'
    },

    async findOrganization(organizationId) {
      const own = guard({ organizationIds: [organizationId] })
      const [row] = await rowsOf(own, bind(findOrganization, { organization_id: organizationId }))
      return row === undefined ? null : organizationFromRow(row)
    },

    async listOrganizations(afterId, limit) {
      const statement =
        afterId === null ? bind(firstOrganizations, { limit }) : bind(nextOrganizations, { afterId, limit })
      return (await rowsOf(executor, statement)).map(organizationFromRow)
    },

    ...createKeys(executor, clock, guard),
  }
}

/** The slots for what the caller expects to be stored: anything (undefined), no organization (null), or this one. */
function expected(replaced: Organization | null | undefined): Record<string, BoundValue> {
  const row = replaced == null ? null : organizationToRow(replaced)
  const isExpected = replaced === undefined ? null : Number(replaced !== null)
  const was = settingColumns.map((column) => [`was_${column}`, row?.[column] ?? null] as const)
  return { is_expected: isExpected, ...Object.fromEntries(was) }
}

import { sql } from 'kysely'
import type { Administration } from '../../../ports/administration.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Organization } from '../../../ports/organization.ts'
import { bind, name, slot, template } from '../statement/compiler.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import type { OrganizationRow } from '../table/access-rows.ts'
import { organizationFromRow, organizationToRow } from '../table/access-rows.ts'
import { nextInstant, nowOf } from '../write/write-clock.ts'
import { createKeys } from './keys.ts'

const settings = [
  'name',
  'slug',
  'parent_id',
  'sms_number',
  'phone_country',
  'pos_kind',
  'pos_tenant',
  'billing_events',
  'analytics',
  'retention_offer_analytics',
] as const

const slugTaken = sql`exists (select 1 from organizations as other
  where other.slug = ${slot('slug')} and other.organization_id <> ${slot('organization_id')})`

/** An organization is never its own parent. */
const parentMissing = sql`(${slot('parent_id')} is not null and (${slot('parent_id')} = ${slot('organization_id')}
  or not exists (select 1 from organizations as other where other.organization_id = ${slot('parent_id')})))`

const judge = template(
  sql<{
    readonly slug_taken: number
    readonly parent_missing: number
  }>`select ${slugTaken} as slug_taken, ${parentMissing} as parent_missing`,
)

/**
 * A form's answers are read with the organization's country. When the country changes, the meaning of its forms
 * changes, so their versions move.
 */
const bumpForms = template(sql`
  update forms set version = version + 1
  where organization_id = ${slot('organization_id')} and not ${slugTaken} and not ${parentMissing} and exists (
    select 1 from organizations as o
    where o.organization_id = ${slot('organization_id')} and o.phone_country <> ${slot('phone_country')})`)

/** A child organization brings its reviews (a trigger copies them), which its new parent sees for the first time now. */
const advanceNewParent = template(sql`
  update organizations set clock_at = ${nextInstant(sql.id('clock_at'))}
  where organization_id = ${slot('parent_id')} and not ${slugTaken} and not ${parentMissing} and exists (
    select 1 from organizations as o
    where o.organization_id = ${slot('organization_id')} and o.parent_id is not ${slot('parent_id')})`)

const saveOrganization = template(sql`
  insert into organizations (organization_id, ${sql.join(settings.map((column) => name(column)))})
  select ${slot('organization_id')}, ${sql.join(settings.map((column) => slot(column)))}
  where not ${slugTaken} and not ${parentMissing}
  on conflict (organization_id) do update set
    ${sql.join(settings.map((column) => sql`${name(column)} = ${name('excluded', column)}`))}`)

const findOrganization = template(sql<OrganizationRow>`
  select * from organizations where organization_id = ${slot('organization_id')}`)

const firstOrganizations = template(sql<OrganizationRow>`
  select * from organizations order by organization_id limit +${slot('limit')}`)
const nextOrganizations = template(sql<OrganizationRow>`
  select * from organizations where organization_id > ${slot('afterId')} order by organization_id
  limit +${slot('limit')}`)

/** Organizations and keys. */
export function createAdministration(executor: Executor, clock: Clock): Administration {
  return {
    async saveOrganization(organization: Organization) {
      const row = { ...organizationToRow(organization) } satisfies Record<string, BoundValue>
      const [judgement] = await resultsOf(executor, [
        bind(judge, row),
        bind(bumpForms, row),
        bind(advanceNewParent, { ...row, now: nowOf(clock) }),
        bind(saveOrganization, row),
      ])
      const verdict = judgement.rows[0]
      if (verdict?.slug_taken === 1) return 'slug_taken'
      return verdict?.parent_missing === 1 ? 'parent_missing' : 'saved'
    },

    async findOrganization(organizationId) {
      const [row] = await rowsOf(executor, bind(findOrganization, { organization_id: organizationId }))
      return row === undefined ? null : organizationFromRow(row)
    },

    async listOrganizations(afterId, limit) {
      const statement =
        afterId === null ? bind(firstOrganizations, { limit }) : bind(nextOrganizations, { afterId, limit })
      return (await rowsOf(executor, statement)).map(organizationFromRow)
    },

    ...createKeys(executor, clock),
  }
}

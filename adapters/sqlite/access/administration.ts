import type { Administration, HashCounts, HashHolder } from '../../../ports/administration.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Organization } from '../../../ports/organization.ts'
import { bind, name, slot, template } from '../statement/compiler.ts'
import type { BoundValue, Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import type { KeyRow, OrganizationRow } from '../table/access-rows.ts'
import { keyFromRow, keyToRow, organizationFromRow, organizationToRow } from '../table/access-rows.ts'
import { nextInstant, nowOf } from '../write/write-clock.ts'
import { sql } from '../statement/sql.ts'

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

const addKey = template(sql`
  insert into api_keys (key_id, kind, organization_id, hash, secret_version, created_at, revoked_at)
  values (${slot('key_id')}, ${slot('kind')}, ${slot('organization_id')}, ${slot('hash')}, ${slot('secret_version')},
    ${slot('created_at')}, ${slot('revoked_at')})`)

const listKeys = template(sql<KeyRow>`
  select * from api_keys where organization_id is ${slot('organization_id')} order by created_at, key_id`)

const revokeKey = template(sql`
  update api_keys set revoked_at = coalesce(revoked_at, ${slot('revoked_at')}) where key_id = ${slot('key_id')}`)

const rehashKey = template(sql`
  update api_keys set hash = ${slot('hash')}, secret_version = ${slot('secret_version')}
  where key_id = ${slot('key_id')} and revoked_at is null`)

const hashedKeys = sql`from api_keys where revoked_at is null
  and (${slot('secret_version')} is null or secret_version = ${slot('secret_version')})`

const hashedForms = sql`from forms where password_hash is not null
  and (${slot('secret_version')} is null or instr(password_hash, '$' || ${slot('secret_version')} || '$') > 0)`

const countHashes = template(sql<HashCounts>`
  select (select count(*) ${hashedKeys}) as "keys", (select count(*) ${hashedForms}) as "formPasswords"`)

const findHashes = template(sql<HashHolder>`
  select kind, id, organization_id as "organizationId" from (
    select 1 as rank, 'key' as kind, key_id as id, organization_id ${hashedKeys}
    union all
    select 2 as rank, 'form' as kind, form_id as id, organization_id ${hashedForms}
  ) order by rank, id limit +${slot('limit')}`)

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

    async addKey(key) {
      await executor.batch([bind(addKey, { ...keyToRow(key) })])
    },

    async listKeys(organizationId) {
      const rows = await rowsOf(executor, bind(listKeys, { organization_id: organizationId }))
      return rows.map(keyFromRow)
    },

    async revokeKey(keyId, revokedAt) {
      const [revoked] = await executor.batch([bind(revokeKey, { key_id: keyId, revoked_at: revokedAt })])
      return revoked?.changes === 1
    },

    async rehashKey(keyId, hash, secretVersion) {
      await executor.batch([bind(rehashKey, { key_id: keyId, hash, secret_version: secretVersion })])
    },

    async countHashes(secretVersion) {
      const [row] = await rowsOf(executor, bind(countHashes, { secret_version: secretVersion }))
      return row ?? { keys: 0, formPasswords: 0 }
    },

    async findHashes(secretVersion, limit) {
      return rowsOf(executor, bind(findHashes, { secret_version: secretVersion, limit }))
    },
  }
}

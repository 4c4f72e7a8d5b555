import { sql } from 'kysely'
import type { Administration, HashCounts, HashHolder } from '../../../ports/organizations/administration.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { isPlaced } from '../placement/family-row.ts'
import type { Guard } from '../placement/guard.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import type { KeyRow } from '../table/access-rows.ts'
import { keyColumns, keyFromRow, keyToRow } from '../table/access-rows.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'
import { createKeyUpkeep } from './key-upkeep.ts'

type KeyAdministration = Omit<Administration, 'saveOrganization' | 'findOrganization' | 'listOrganizations'>

const insertInto = sql`insert into api_keys (${sql.join(keyColumns.map((column) => sql.id(column)))})
  select ${sql.join(keyColumns.map((column) => slot(column)))}`

const addKey = template(sql`${insertInto}`)

const findKey = template(sql<KeyRow>`select * from api_keys where key_id = ${slot('key_id')}`)

const keysOf = sql`select * from api_keys where organization_id is ${slot('organization_id')}`
const oldest = sql`order by created_at, key_id limit +${slot('limit')}`
const firstKeys = template(sql<KeyRow>`${keysOf} ${oldest}`)
const nextKeys = template(sql<KeyRow>`${keysOf}
  and (created_at, key_id) > (${slot('created_at')}, ${slot('key_id')}) ${oldest}`)

const revokeKey = template(sql`
  update api_keys set revoked_at = coalesce(revoked_at, ${slot('revoked_at')}) where key_id = ${slot('key_id')}`)

/**
 * The condition of both statements of a rotation. The second one makes it false, so both happen or neither, and only
 * once.
 */
const isReplaceable = sql`api_keys.key_id = ${slot('replaced_id')} and api_keys.successor_id is null
  and ${worksNow('api_keys')}`

const addSuccessor = template(sql`${insertInto} where exists (select 1 from api_keys where ${isReplaceable})`)

const endReplaced = template(sql`
  update api_keys set successor_id = ${slot('key_id')},
    expires_at = min(coalesce(expires_at, ${slot('ends_at')}), ${slot('ends_at')})
  where ${isReplaceable}`)

/** Excludes rows that a move has left behind: they are counted where the family lives now. */
const isHere = (table: string) => sql`not ${isPlaced(sql.id(table, 'organization_id'))}`

const hashedKeys = sql`from api_keys where ${worksNow('api_keys')} and ${isHere('api_keys')}
  and (${slot('secret_version')} is null or secret_version = ${slot('secret_version')})`

const hashedOperatorKeys = sql`from operator_keys where ${worksNow('operator_keys')}
  and (${slot('secret_version')} is null or secret_version = ${slot('secret_version')})`

const hashedForms = sql`from forms where password_hash is not null and ${isHere('forms')}
  and (${slot('secret_version')} is null or instr(password_hash, '$' || ${slot('secret_version')} || '$') > 0)`

const countHashes = template(sql<HashCounts>`
  select (select count(*) ${hashedKeys}) + (select count(*) ${hashedOperatorKeys}) as "keys",
    (select count(*) ${hashedForms}) as "formPasswords"`)

const findHashes = template(sql<HashHolder>`
  select kind, id, organization_id as "organizationId" from (
    select 1 as rank, 'key' as kind, key_id as id, organization_id ${hashedKeys}
    union all
    select 2 as rank, 'operator key' as kind, key_id as id, null as organization_id ${hashedOperatorKeys}
    union all
    select 3 as rank, 'form' as kind, form_id as id, organization_id ${hashedForms}
  ) order by rank, id limit +${slot('limit')}`)

/** The keys of organizations and of the platform. */
export function createKeys(executor: Executor, clock: Clock, guard: Guard): KeyAdministration {
  return {
    async addKey(key) {
      const owners = key.organizationId === null ? [] : [key.organizationId]
      await guard({ organizationIds: owners }).batch([bind(addKey, { ...keyToRow(key) })])
    },

    async findKey(keyId) {
      const [row] = await rowsOf(guard({ keyId }), bind(findKey, { key_id: keyId }))
      return row === undefined ? null : keyFromRow(row)
    },

    async listKeys(organizationId, after, limit) {
      const values = { organization_id: organizationId, limit }
      const statement =
        after === null
          ? bind(firstKeys, values)
          : bind(nextKeys, { ...values, created_at: after.createdAt, key_id: after.keyId })
      const owners = organizationId === null ? [] : [organizationId]
      return (await rowsOf(guard({ organizationIds: owners }), statement)).map(keyFromRow)
    },

    async revokeKey(keyId, revokedAt) {
      const [revoked] = await guard({ keyId }).batch([
        bind(revokeKey, { key_id: keyId, revoked_at: revokedAt }),
      ])
      // While the family moves, a trigger writes another row, so `changes` may exceed 1.
      return (revoked?.changes ?? 0) > 0
    },

    async rotateKey({ keyId, successor, endsAt }) {
      const replaced = { replaced_id: keyId, now: nowOf(clock) }
      const [added] = await resultsOf(guard({ keyId }), [
        bind(addSuccessor, { ...keyToRow(successor), ...replaced }),
        bind(endReplaced, { ...replaced, key_id: successor.keyId, ends_at: endsAt }),
      ])
      return added.changes > 0
    },

    ...createKeyUpkeep(guard),

    async countHashes(secretVersion) {
      const values = { secret_version: secretVersion, now: nowOf(clock) }
      const [row] = await rowsOf(executor, bind(countHashes, values))
      return row ?? { keys: 0, formPasswords: 0 }
    },

    async findHashes(secretVersion, limit) {
      return rowsOf(executor, bind(findHashes, { secret_version: secretVersion, limit, now: nowOf(clock) }))
    },
  }
}

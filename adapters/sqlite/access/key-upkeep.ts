import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { KeyUpkeep } from '../../../ports/organizations/key-upkeep.ts'
import type { Guard } from '../placement/guard.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'

/**
 * Prepares the updates of the keys of one table, `api_keys` or `operator_keys`. Returns what makes them of the executor
 * for each key.
 */
export function upkeepOf(table: Expression<unknown>): (executorOf: (keyId: string) => Executor) => KeyUpkeep {
  const noteKeyUse = template(sql`
    update ${table} set last_used_at = ${slot('hour')}
    where key_id = ${slot('keyId')} and (last_used_at is null or last_used_at < ${slot('hour')})`)

  const rehashKey = template(sql`
    update ${table} set hash = ${slot('hash')}, secret_version = ${slot('secretVersion')}
    where key_id = ${slot('keyId')} and revoked_at is null`)

  return (executorOf) => ({
    async noteKeyUse(keyId, hour) {
      await executorOf(keyId).batch([bind(noteKeyUse, { keyId, hour })])
    },

    async rehashKey(keyId, hash, secretVersion) {
      await executorOf(keyId).batch([bind(rehashKey, { keyId, hash, secretVersion })])
    },
  })
}

const upkeepOfTenantKeys = upkeepOf(sql`api_keys`)

/** Updates the rows of tenants' and the platform's keys that were used. */
export function createKeyUpkeep(guard: Guard): KeyUpkeep {
  return upkeepOfTenantKeys((keyId) => guard({ keyId }))
}

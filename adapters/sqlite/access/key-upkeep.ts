import type { KeyUpkeep } from '../../../ports/organizations.ts'
import type { Guard } from '../placement/guard.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'

/**
 * Prepares the updates of the keys of one table, `api_keys` or `operator_keys`. Returns what makes them of the executor
 * for each key.
 */
export function upkeepOf(
  table: 'api_keys' | 'operator_keys',
): (executorOf: (keyId: string) => Executor) => KeyUpkeep {
  const noteKeyUse = template(() =>
    db
      .updateTable(table)
      .set({ last_used_at: slot('hour') })
      .where('key_id', '=', slot('keyId'))
      .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', slot('hour'))])),
  )

  const rehashKey = template(() =>
    db
      .updateTable(table)
      .set({ hash: slot('hash'), secret_version: slot('secretVersion') })
      .where('key_id', '=', slot('keyId'))
      .where('revoked_at', 'is', null),
  )

  return (executorOf) => ({
    async noteKeyUse(keyId, hour) {
      await executorOf(keyId).batch([bind(noteKeyUse, { keyId, hour })])
    },

    async rehashKey(keyId, hash, secretVersion) {
      await executorOf(keyId).batch([bind(rehashKey, { keyId, hash, secretVersion })])
    },
  })
}

const upkeepOfTenantKeys = upkeepOf('api_keys')

/** Updates the rows of tenants' and the platform's keys that were used. */
export function createKeyUpkeep(guard: Guard): KeyUpkeep {
  return upkeepOfTenantKeys((keyId) => guard({ keyId }))
}

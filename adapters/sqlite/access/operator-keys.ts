import { sql } from '../statement/sql.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { OperatorKeys, StoredOperatorKey } from '../../../ports/operator-keys.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'

const stored = sql`select key_id as "keyId", operator, role, hash, secret_version as "secretVersion",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"
  from operator_keys`

const prove = template(sql<StoredOperatorKey>`${stored}
  where key_id = ${slot('keyId')} and hash in (${slot('currentHash')}, ${slot('previousHash')})
    and ${worksNow('operator_keys')}`)

const first = template(sql<StoredOperatorKey>`${stored} order by created_at, key_id limit +${slot('limit')}`)
const next = template(sql<StoredOperatorKey>`${stored}
  where (created_at, key_id) > (${slot('createdAt')}, ${slot('keyId')})
  order by created_at, key_id limit +${slot('limit')}`)

const noteKeyUse = template(sql`update operator_keys set last_used_at = ${slot('hour')}
  where key_id = ${slot('keyId')} and (last_used_at is null or last_used_at < ${slot('hour')})`)

const rehashKey =
  template(sql`update operator_keys set hash = ${slot('hash')}, secret_version = ${slot('secretVersion')}
  where key_id = ${slot('keyId')} and revoked_at is null`)

/** The keys of operators. */
export function createOperatorKeys(executor: Executor, clock: Clock): OperatorKeys {
  return {
    async prove({ keyId, hashes: [currentHash, previousHash = null] }) {
      const values = { keyId, currentHash, previousHash, now: nowOf(clock) }
      const [row] = await rowsOf(executor, bind(prove, values))
      return row ?? null
    },
    list: (after, limit) =>
      rowsOf(executor, after === null ? bind(first, { limit }) : bind(next, { ...after, limit })),
    async noteKeyUse(keyId, hour) {
      await executor.batch([bind(noteKeyUse, { keyId, hour })])
    },
    async rehashKey(keyId, hash, secretVersion) {
      await executor.batch([bind(rehashKey, { keyId, hash, secretVersion })])
    },
  }
}

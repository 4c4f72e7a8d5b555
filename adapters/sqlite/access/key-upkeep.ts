import type { KeyUpkeep } from '../../../ports/key-upkeep.ts'
import type { Guard } from '../placement/guard.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import { sql } from '../statement/sql.ts'

const noteKeyUse = template(sql`
  update api_keys set last_used_at = ${slot('hour')}
  where key_id = ${slot('key_id')} and (last_used_at is null or last_used_at < ${slot('hour')})`)

const rehashKey = template(sql`
  update api_keys set hash = ${slot('hash')}, secret_version = ${slot('secret_version')}
  where key_id = ${slot('key_id')} and revoked_at is null`)

/** Notes about keys that were used. */
export function createKeyUpkeep(guard: Guard): KeyUpkeep {
  return {
    async noteKeyUse(keyId, hour) {
      await guard({ keyId }).batch([bind(noteKeyUse, { key_id: keyId, hour })])
    },

    async rehashKey(keyId, hash, secretVersion) {
      await guard({ keyId }).batch([bind(rehashKey, { key_id: keyId, hash, secret_version: secretVersion })])
    },
  }
}

import { sql } from 'kysely'
import type { KeyClaim, KeyedRead, KeyedReader, KeyedStorage, VerifyKey } from '../../ports/keyed-storage.ts'
import type { ReadQuery } from '../../ports/query.ts'
import { bind, slot, template } from './compiler.ts'
import { decodeRows } from './decode.ts'
import type { Executor } from './executor.ts'
import { readStatement } from './read-query.ts'
import { keyFromRow, organizationFromRow } from './records.ts'

/** Column names of the two tables differ but for `organization_id`, which the join makes equal. */
const findKey = template(sql`
  select k.*, o.* from api_keys as k join organizations as o on o.organization_id = k.organization_id
  where k.key_id = ${slot('keyId')} and k.organization_id = ${slot('organizationId')}
    and k.kind = 'tenant' and k.revoked_at is null`)

const findPlatformKey = template(sql`
  select * from api_keys where key_id = ${slot('keyId')} and kind = 'platform' and revoked_at is null`)

/** Reads of tenant data on D1: the key and the queries are one batch, so one trip and one snapshot. */
export function createD1KeyedStorage(executor: Executor): KeyedStorage {
  return {
    open: (claim, verify) => openReader(executor, claim, verify),
    async findPlatformKey(keyId) {
      const [found] = await executor.batch([bind(findPlatformKey, { keyId })])
      const row = found?.results[0]
      return row === undefined ? null : keyFromRow(row)
    },
  }
}

function openReader(executor: Executor, { organizationId, keyId }: KeyClaim, verify: VerifyKey): KeyedReader {
  return {
    async read(queries: readonly ReadQuery[]): Promise<KeyedRead> {
      const statements = queries.map((query) => readStatement(organizationId, query))
      const [found, ...pages] = await executor.batch([
        bind(findKey, { organizationId, keyId }),
        ...statements,
      ])
      const row = found?.results[0]
      if (row === undefined) return { authenticated: false }
      const key = keyFromRow(row)
      if (!(await verify(key))) return { authenticated: false }
      const results = queries.map((query, index) => {
        const rows = pages[index]?.results ?? []
        return query.kind === 'groups' ? rows : decodeRows(query.collection, query.select, rows)
      })
      return { authenticated: true, key, organization: organizationFromRow(row), results }
    },
  }
}

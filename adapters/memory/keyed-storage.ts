import type { KeyClaim, KeyedReader, KeyedStorage, VerifyKey } from '../../ports/keyed-storage.ts'
import { runQuery } from './read-query.ts'
import type { MemoryState } from './state.ts'

/** Reads of tenant data on behalf of a key. */
export function createMemoryKeyedStorage(state: MemoryState): KeyedStorage {
  return {
    open: (claim, verify) => openReader(state, claim, verify),
    async findPlatformKey(keyId) {
      state.meter.calls += 1
      const key = state.keys.get(keyId)
      return key?.kind === 'platform' && key.revokedAt === null ? key : null
    },
  }
}

function openReader(state: MemoryState, { organizationId, keyId }: KeyClaim, verify: VerifyKey): KeyedReader {
  return {
    async read(queries) {
      state.meter.calls += 1
      const key = state.keys.get(keyId)
      const tenant = state.tenants.get(organizationId)
      if (key === undefined || tenant === undefined) return { authenticated: false }
      if (key.kind !== 'tenant' || key.organizationId !== organizationId || key.revokedAt !== null) {
        return { authenticated: false }
      }
      // Taken before the pause that verifying may be, so that all of it is one view.
      const { organization } = tenant
      const results = queries.map((query) => runQuery(tenant, query))
      return (await verify(key))
        ? { authenticated: true, key, organization, results }
        : { authenticated: false }
    },
  }
}

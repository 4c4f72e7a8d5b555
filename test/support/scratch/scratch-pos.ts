import { openImage, type NodeSqlite } from '../../../adapters/node-sqlite/index.ts'
import { openLegacyVendor, openLegacyVendorWriter } from '../../../adapters/pos-legacy-vendor/index.ts'
import { posSourceKinds } from '../../../domain/pos/index.ts'
import { systemDeadline } from '../../../host-worker/system.ts'
import type { PosSourceTie } from '../../../ports/organizations.ts'
import type { PosSources, PosWriter } from '../../../ports/sources.ts'
import { migratedImage } from '../databases/migrated-image.ts'

/** Point-of-sale sources of every kind in memory, for one test. */
export interface ScratchPos extends PosSources {
  /** Opens an organization's source for writing. */
  writer(tie: PosSourceTie): PosWriter
  /** The database of all sources of a kind. */
  databaseOf(kind: PosSourceTie['kind']): NodeSqlite
}

/**
 * Opens fresh, empty sources. Each kind is a database of the legacy vendor's adapter that reports the capabilities of
 * that kind. A database is created when it is first needed, because few tests have a point of sale.
 */
export function createScratchPos(): ScratchPos {
  const databases = new Map<PosSourceTie['kind'], NodeSqlite>()
  const databaseOf = (kind: PosSourceTie['kind']): NodeSqlite => {
    const database = databases.get(kind) ?? openImage(migratedImage('pos-legacy-vendor'))
    databases.set(kind, database)
    return database
  }
  return {
    open: ({ kind, tenant }) => ({
      ...openLegacyVendor({ database: databaseOf(kind), deadline: systemDeadline }, tenant),
      capabilities: posSourceKinds[kind].capabilities,
    }),
    writer: ({ kind, tenant }) => openLegacyVendorWriter(databaseOf(kind), tenant),
    databaseOf,
  }
}

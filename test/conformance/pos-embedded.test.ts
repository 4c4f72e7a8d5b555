import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openEmbeddedSource } from '../../adapters/pos-odbc/gateway/embedded.ts'
import type { WritableRows } from '../../adapters/pos-odbc/gateway/write.ts'
import { runnerOf } from '../support/case-runner.ts'
import type { RunningGateway } from '../support/pos-gateway.ts'
import { scratchFolder, sourcesOf, startGateway } from '../support/pos-gateway.ts'
import { registerPosSuite } from './index.ts'

/** The suite on the real gateway process over HTTP, on databases of this machine. */
const folder = scratchFolder()
const sharedFile = join(folder, 'shared.sqlite')
let gateway: RunningGateway
let systems = 0

beforeAll(async () => {
  openEmbeddedSource('odbc_shared', sharedFile).close()
  gateway = await startGateway([
    { kind: 'odbc_shared', driver: 'sqlite', file: sharedFile, currency: 'USD' },
    {
      kind: 'odbc_second',
      driver: 'sqlite',
      directory: folder,
      currency: 'USD',
      timeZone: 'America/Chicago',
    },
  ])
})
afterAll(async () => {
  await gateway.stop()
  rmSync(folder, { recursive: true })
})

describe.each(['odbc_shared', 'odbc_second'] as const)('%s on an embedded database', (kind) => {
  registerPosSuite(runnerOf(test), async () => {
    systems += 1
    // A system of its own for each case: tenants that no other case has.
    const nameOf = (tenant: string) => `${tenant}-${systems}`
    const fileOf = (tenant: string) =>
      kind === 'odbc_shared' ? sharedFile : join(folder, `${nameOf(tenant)}.sqlite`)
    return {
      kind,
      lacks: [],
      source: async (tenant) => {
        openEmbeddedSource(kind, fileOf(tenant)).close()
        return sourcesOf(gateway).open({ kind, tenant: nameOf(tenant) })
      },
      load: async (tenant, collection, rows) => {
        const database = openEmbeddedSource(kind, fileOf(tenant))
        database.write(nameOf(tenant), collection as WritableRows, rows)
        database.close()
      },
    }
  })
})

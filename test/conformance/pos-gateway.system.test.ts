import { afterAll, beforeAll, describe, test } from 'vitest'
import type { WritableRows } from '../../adapters/pos-odbc/gateway/write.ts'
import { runnerOf } from '../support/runner/case-runner.ts'
import { posEngines, type PosTenant } from '../support/pos/pos-engines.ts'
import { sourcesOf, startGateway, type RunningGateway } from '../support/pos/pos-gateway.ts'
import { registerPosSuite } from '../../adapters/conformance/index.ts'

/**
 * The suite runs on the real gateway process over HTTP, with embedded databases, or with real ODBC drivers if
 * ODBC_TESTS=yes.
 */
const engines = posEngines()
let gateway: RunningGateway

beforeAll(async () => {
  gateway = await startGateway(engines.flatMap((engine) => engine.sources()))
})
afterAll(async () => {
  await gateway.stop()
})

describe.each(engines.map((engine) => [engine.name, engine] as const))('%s', (_name, engine) => {
  registerPosSuite(runnerOf(test), async () => {
    engine.clear()
    return {
      kind: engine.tie('north').kind,
      lacks: [],
      source: async (tenant) => sourcesOf(gateway).open({ ...engine.tie('north'), tenant }),
      load: (tenant, collection, rows) => engine.write(tenant as PosTenant, collection as WritableRows, rows),
    }
  })
})

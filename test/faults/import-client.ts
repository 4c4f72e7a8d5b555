/**
 * Imports contacts through the operator interface, as a process of its own that can be killed: ORIGIN KEY ORGANIZATION
 * FILE. Prints the outcome as JSON, with the most memory that it held, in MiB.
 */
import { createReadStream } from 'node:fs'
import { importThroughService } from '../../host-worker/operator/client/import-client.ts'
import { operatorCall } from '../support/operator-http.ts'

const [origin = '', key = '', organizationId = '', path = ''] = process.argv.slice(2)
const outcome = await importThroughService({
  organizationId,
  call: operatorCall(origin, key),
  // No connection: the service is being started again.
  isPassing: (rejection) => rejection instanceof TypeError,
  kind: 'contacts',
  format: 'ndjson',
  source: { open: () => createReadStream(path, { highWaterMark: 256 * 1024 }) },
  onProgress: () => undefined,
})
process.stdout.write(JSON.stringify({ outcome, peakMiB: Math.round(process.resourceUsage().maxRSS / 1024) }))
process.exit(0)

/**
 * A separate process that imports contacts through the operator interface, so that tests can kill it. Arguments: ORIGIN
 * KEY ORGANIZATION FILE. Prints the outcome as JSON, with the most memory that it used, in MiB.
 */
import { createReadStream } from 'node:fs'
import { unreachable } from '../../../host-worker/operator/client/call-service.ts'
import { importThroughService } from '../../../host-worker/operator/client/import-client.ts'
import { operatorCall } from '../../support/services/operator/operator-http.ts'

const [origin = '', key = '', organizationId = '', path = ''] = process.argv.slice(2)
const call = operatorCall(origin, key)
const outcome = await importThroughService({
  organizationId,
  url: origin,
  call: async (...request) => {
    try {
      return await call(...request)
    } catch (error) {
      // There is no connection, because the service is being restarted. The request is repeated.
      throw unreachable(origin, error)
    }
  },
  kind: 'contacts',
  format: 'ndjson',
  source: { open: () => createReadStream(path, { highWaterMark: 256 * 1024 }) },
  onProgress: () => undefined,
})
process.stdout.write(JSON.stringify({ outcome, peakMiB: Math.round(process.resourceUsage().maxRSS / 1024) }))
process.exit(0)

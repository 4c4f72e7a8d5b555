import type { LogFields, Meter } from '../ports/platform.ts'
import type { Answered } from './http/fetch-handler.ts'

/**
 * The fields of a request's log line. The endpoint is logged instead of the path, which may contain an identifier. The
 * query, the headers and the body are not logged.
 */
export function requestFields(facts: Answered, durationMs: number, meter: Meter): LogFields {
  return {
    requestId: facts.requestId,
    endpointId: facts.endpointId,
    status: facts.status,
    durationMs,
    organizationId: facts.organizationId,
    keyId: facts.keyId,
    ...(facts.submissionId === undefined ? {} : { submissionId: facts.submissionId }),
    storageCalls: meter.calls,
    rowsRead: meter.rowsRead,
    rowsWritten: meter.rowsWritten,
  }
}

import type { Meter } from '../adapters/d1/index.ts'
import type { LogFields } from '../ports/log.ts'
import type { Answered } from './http/fetch-handler.ts'

/**
 * What is logged of a request, once it was answered. The endpoint stands for the path, which may hold an identifier;
 * nothing of the query, the headers or a body is here.
 */
export function requestFields(facts: Answered, durationMs: number, meter: Meter): LogFields {
  return {
    requestId: facts.requestId,
    endpointId: facts.endpointId,
    status: facts.status,
    durationMs,
    organizationId: facts.organizationId,
    storageCalls: meter.calls,
    rowsRead: meter.rowsRead,
    rowsWritten: meter.rowsWritten,
  }
}

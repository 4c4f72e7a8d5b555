import type { EmptyReply } from '../../record/operation/reply.ts'
import { SUBMISSION_HEADERS } from './receipt.ts'

/** The methods and headers that a page of another origin may use (contract, response rule 7). */
export const ALLOWED_METHODS = 'POST, OPTIONS'
export const ALLOWED_HEADERS = 'Content-Type, Accept'

/** Answers a cross-origin preflight. */
export function preflight(): EmptyReply<204> {
  return {
    status: 204,
    headers: {
      ...SUBMISSION_HEADERS,
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
    },
    body: null,
  }
}

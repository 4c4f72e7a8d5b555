import type { Reply } from '../contract/reply.ts'
import { wantsPage } from './negotiate.ts'
import type { Failure } from './pages/failure.ts'
import { failurePage } from './pages/failure.ts'
import { pageHeaders } from './pages/layout.ts'
import { successPage } from './pages/success.ts'
import { wayBack } from './pages/way-back.ts'
import { receiptReply, submissionFailure, SUBMISSION_HEADERS } from './receipt.ts'
import type { Honeypot, Saved, SubmissionResult } from './result.ts'

type Headers = Readonly<Record<string, string>>

/** The title above a bot's acknowledgment, which has none of its own. */
const HONEYPOT_TITLE = 'Thank you'

/** The answer to a submission: a page or a redirect for a native form, else JSON. */
export async function submissionReply(request: Request, result: SubmissionResult): Promise<Reply> {
  if (!wantsPage(request)) return receiptReply(result)
  if (result.kind === 'refused')
    return pageReply(result.status, failurePage(result, wayBack(request.headers)))
  return successReply(request, result)
}

function successReply(request: Request, result: Saved | Honeypot): Reply | Promise<Reply> {
  const isSaved = result.kind === 'saved'
  if (isSaved && result.redirectUrl !== null) {
    return { status: 303, headers: { ...SUBMISSION_HEADERS, location: result.redirectUrl }, body: null }
  }
  const title = isSaved ? result.title : HONEYPOT_TITLE
  return pageReply(200, successPage(title, result.message, wayBack(request.headers)))
}

/** The answer to a failure outside of a submission's own ones: another method, an internal failure. */
export async function failedReply(
  request: Request,
  status: number,
  code: 'method_not_allowed' | 'internal_error',
  error: string,
  headers: Headers = {},
): Promise<Reply> {
  if (!wantsPage(request)) return submissionFailure(status, code, error, headers)
  const pageCode = code === 'internal_error' ? 'unknown_outcome' : code
  const failure: Failure = {
    code: pageCode,
    error,
    fieldErrors: null,
    fieldLabels: new Map(),
    hostedUrl: null,
  }
  return pageReply(status, failurePage(failure, wayBack(request.headers)), headers)
}

async function pageReply(status: number, body: string, headers: Headers = {}): Promise<Reply> {
  return { status, headers: { ...SUBMISSION_HEADERS, ...(await pageHeaders()), ...headers }, body }
}

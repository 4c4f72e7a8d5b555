import type { TextReply } from '../../record/operation/reply.ts'
import { contentTypeOf, type HeaderValue } from '../../text/content-type.ts'
import type { Failure } from './failure-page.ts'
import { wantsPage } from './negotiate.ts'
import { receiptReply, submissionFailure, SUBMISSION_HEADERS } from './receipt.ts'
import { failureStatus, formNotFound, type Honeypot, type Saved, type SubmissionResult } from './result.ts'

/**
 * The title of the page after the bot trap was filled, because such a request gets no form and so no title of its own.
 */
const HONEYPOT_TITLE = 'Thank you'

/** The pages, which few requests want, are loaded by the first one that does. */
const loadPages = () => import('./pages.ts')

/**
 * The reply to a submission: a page or a redirect for a native form, else JSON.
 * @param headers the headers of the request
 * @param contentType the parsed `Content-Type` header
 */
export async function submissionReply(
  headers: Headers,
  contentType: HeaderValue | null,
  result: SubmissionResult,
) {
  if (!wantsPage(contentType, headers)) return receiptReply(result)
  if (result.kind !== 'refused') return successReply(headers, result)
  const { failurePage, wayBack } = await loadPages()
  return pageReply(result.status, failurePage(result, wayBack(headers)))
}

async function successReply(headers: Headers, result: Saved | Honeypot) {
  const isSaved = result.kind === 'saved'
  if (isSaved && result.redirectUrl !== null) {
    const location = result.redirectUrl
    return { status: 303 as const, headers: { ...SUBMISSION_HEADERS, location }, body: null }
  }
  const title = isSaved ? result.title : HONEYPOT_TITLE
  const { successPage, wayBack } = await loadPages()
  return pageReply(200, successPage(title, result.message, wayBack(headers)))
}

/** The reply to a path whose form id is malformed. */
export function unknownFormReply() {
  return receiptReply(formNotFound())
}

/**
 * The reply to a failure that is not about a submission: a wrong method, or an internal failure.
 * @param request the request, which decides whether the reply is a page
 * @param headers headers of the reply, besides those that all replies have
 */
export async function failedReply(
  request: Request,
  code: 'method_not_allowed' | 'internal_error',
  error: string,
  headers: Readonly<Record<string, string>> = {},
) {
  if (!wantsPage(contentTypeOf(request.headers), request.headers)) {
    return submissionFailure(code, error, headers)
  }
  const failure: Failure = {
    code: code === 'internal_error' ? 'unknown_outcome' : code,
    error,
    fieldErrors: null,
    fieldLabels: new Map(),
    isOfPage: false,
    hostedUrl: null,
  }
  const { failurePage, wayBack } = await loadPages()
  return pageReply(failureStatus[code], failurePage(failure, wayBack(request.headers)), headers)
}

async function pageReply<Status extends number>(
  status: Status,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TextReply<Status>> {
  const { pageHeaders } = await loadPages()
  return { status, headers: { ...SUBMISSION_HEADERS, ...(await pageHeaders()), ...headers }, body }
}

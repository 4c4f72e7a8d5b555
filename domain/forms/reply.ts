import type { TextReply, EmptyReply } from '../record/reply.ts'
import { contentTypeOf, acceptNames, type HeaderValue } from '../text/http.ts'
import type { Say, Voice } from './language/words.ts'
import type { Failure } from './reply-pages.ts'
import type * as ReplyPages from './reply-pages.ts'
import {
  receiptReply,
  submissionFailure,
  SUBMISSION_HEADERS,
  failureStatus,
  formNotFound,
  refused,
  type Honeypot,
  type Saved,
  type SubmissionResult,
} from './result.ts'

type Pages = typeof ReplyPages

/**
 * The reply to a submission: a page or a redirect for a native form, else JSON.
 * @param contentType the parsed `Content-Type` header
 */
export async function submissionReply(
  request: Request,
  contentType: HeaderValue | null,
  result: SubmissionResult,
) {
  if (!wantsPage(contentType, request.headers)) return receiptReply(result)
  if (result.kind !== 'refused') return successReply(request, result)
  return pageReply(result.status, result.voice, ({ failurePage, wayBack }, say) =>
    failurePage(result, wayBack(request), say),
  )
}

async function successReply(request: Request, result: Saved | Honeypot) {
  const isSaved = result.kind === 'saved'
  if (isSaved && result.redirectUrl !== null) {
    const location = result.redirectUrl
    return { status: 303 as const, headers: { ...SUBMISSION_HEADERS, location }, body: null }
  }
  return pageReply(200, result.voice, ({ successPage, wayBack }, say) =>
    successPage(result, wayBack(request), say),
  )
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
    ...refused('internal_error', error),
    code: code === 'internal_error' ? 'unknown_outcome' : code,
  }
  const page = ({ failurePage, wayBack }: Pages, say: Say) => failurePage(failure, wayBack(request), say)
  return pageReply(failureStatus[code], null, page, headers)
}

/** A reply with a page. Few requests want one, so the pages are loaded by the first that does. */
async function pageReply<Status extends number>(
  status: Status,
  voice: Voice | null,
  page: (pages: Pages, say: Say) => string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TextReply<Status>> {
  const pages = await import('./reply-pages.ts')
  return {
    status,
    headers: { ...SUBMISSION_HEADERS, ...(await pages.pageHeaders()), ...headers },
    body: page(pages, await pages.sayerOf(voice ?? {})),
  }
}

/**
 * Whether a request gets a page as its reply: it is not JSON, and it accepts `text/html` by name and not
 * `application/json` (contract, Response rules 1 and 2). A request without a content type, or with one that was not
 * understood, is not JSON.
 * @param contentType the parsed `Content-Type` header
 */
export function wantsPage(contentType: HeaderValue | null, headers: Headers): boolean {
  if (contentType?.value === 'application/json') return false
  const accept = headers.get('accept')
  return acceptNames(accept, 'text/html') && !acceptNames(accept, 'application/json')
}

/** The methods and headers that a page of another origin may use (contract, response rule 7). */
export const ALLOWED_METHODS = 'POST, OPTIONS'
export const ALLOWED_HEADERS = 'Content-Type, Accept'
/** For how many seconds a browser need not ask again: a day, of which some take less. */
export const PREFLIGHT_MAX_AGE = '86400'

/** Answers a cross-origin preflight. */
export function preflight(): EmptyReply<204> {
  return {
    status: 204,
    headers: {
      ...SUBMISSION_HEADERS,
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': PREFLIGHT_MAX_AGE,
    },
    body: null,
  }
}

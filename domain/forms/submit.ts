import type { ReplyOf, RequestOf } from '../record/operation.ts'
import { acceptNames, contentTypeOf, type HeaderValue } from '../text/http.ts'
import type { postSubmission, preflightForm } from './endpoints.ts'
import type { Background, Clock, Deadline, RandomSource } from '../../ports/platform.ts'
import type { FormDirectory, StoredForm } from '../../ports/records.ts'
import type { Queue } from '../../ports/outbox.ts'
import type { Secrets } from '../access/secrets.ts'
import type { EmptyReply, Identity, RoutedRequest, TextReply } from '../record/reply.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { readBody, type Posted } from './body.ts'
import { contractDoor, evaluate, refusedIn, type LoadedForm, type Submission } from './evaluate.ts'
import { BODY_MAX_BYTES, FORM_ID } from './language/definition.ts'
import type { Say, Voice } from './language/words.ts'
import type * as ReplyPages from './reply-pages.ts'
import {
  ALLOWED_HEADERS,
  ALLOWED_METHODS,
  failureStatus,
  formNotFound,
  PREFLIGHT_MAX_AGE,
  receiptReply,
  refused,
  SUBMISSION_HEADERS,
  submissionFailure,
  unknownOutcome,
  type Honeypot,
  type Refused,
  type Saved,
  type SubmissionResult,
} from './result.ts'
import { compileForm } from './language/compile.ts'
import { networkOf } from '../spam/judge.ts'
import type { HandlerFor, Served } from '../access/serve-operation.ts'
import type { Api } from '../create-api.ts'
import { preflightOperation, submitOperation } from './routes.ts'

/**
 * Answers `POST /api/forms/{formId}/submissions`, and the other address of a form by its door. Rejects only on an
 * internal failure.
 */
export async function serveSubmission(
  {
    request,
    params,
    identified,
  }: Pick<RequestOf<typeof postSubmission>, 'request' | 'params' | 'identified'>,
  world: SubmissionWorld,
  door = contractDoor,
): Promise<ReplyOf<typeof postSubmission>> {
  const { formId = '' } = params
  // The content type is parsed once: reading the body and choosing between a page and JSON both depend on it.
  const contentType = contentTypeOf(request.headers)
  const result = await submitForm(formId, { request, contentType }, world, identified, door)
  return submissionReply(request, contentType, result)
}

/** The ports that a submission needs. */
export interface SubmissionWorld {
  readonly forms: FormDirectory
  /** Kept across requests by the host, because it is in memory. */
  readonly formCache: FormCache
  readonly secrets: Secrets
  readonly clock: Clock
  readonly random: RandomSource
  readonly deadline: Deadline
  readonly background: Background
  /** Null: follow-up work waits for the sweep. */
  readonly queue: Queue | null
}

const ID_LENGTH = 22

/**
 * After so many versions of a form that keeps changing during one submission, the submission fails; nothing was saved.
 */
const ROUNDS_MAX = 3

/**
 * Takes one submission of a form: reads the request's body once, checks it, and saves it with its contact and its
 * follow-up work in one step. A form that has not changed since it was cached costs one storage call. Every other
 * outcome with a cached form is confirmed by reading the form again. Rejects when storage fails: then it is unknown
 * whether the submission was saved.
 * @param identified called with the form's organization once a form was found, and with the id of what was saved. It is
 *   called when the work rejects too, so that the log line of such a request names both.
 */
export async function submitForm(
  formId: string,
  posted: Posted,
  world: SubmissionWorld,
  identified: RoutedRequest['identified'],
  door = contractDoor,
): Promise<SubmissionResult> {
  const reading = await readBody(posted, world.deadline)
  if (reading.kind === 'refused')
    return reading.code === 'body_too_large' ? tooLarge(formId, reading, world) : reading
  if (!FORM_ID.test(formId)) return formNotFound()
  const submission: Submission = {
    body: reading.body,
    door,
    origin: posted.request.headers.get('origin'),
    servedAt: new URL(posted.request.url).origin,
    network: networkOf(posted.request.headers.get('cf-connecting-ip')),
    submittedAt: toInstant(world.clock.nowMs()),
    newId: (prefix) => `${prefix}_${randomBase62(ID_LENGTH, (length) => world.random.bytes(length))}`,
  }
  const cached = world.formCache.get(formId)
  let isConfirmed = cached === null
  let saved: Pick<Identity, 'submissionId'> = {}
  let loaded = cached ?? (await load(formId, world))
  const noteId = (submissionId: string) => {
    saved = { submissionId }
  }
  try {
    for (let round = 1; round <= ROUNDS_MAX; round += 1) {
      const result = loaded === null ? formNotFound() : await attempt(loaded, submission, world, noteId)
      if (result === 'stale' || result.kind !== 'saved') saved = {}
      if (result !== 'stale' && (isConfirmed || result.kind === 'saved')) return result
      const reloaded = await load(formId, world)
      if (result !== 'stale' && isSameVersion(loaded?.stored ?? null, reloaded?.stored ?? null)) return result
      loaded = reloaded
      isConfirmed = true
    }
    return loaded === null
      ? formNotFound()
      : await refusedIn(loaded.stored.definition, 'internal_error', 'beingChanged')
  } finally {
    if (loaded !== null) identified({ organizationId: loaded.stored.organizationId, keyId: null, ...saved })
  }
}

/**
 * Says in the language of its form that a submission is too large: a visitor alone can cause that. A form that is not
 * there, or cannot be read, changes nothing of the refusal.
 */
async function tooLarge(formId: string, refusal: Refused, world: SubmissionWorld): Promise<Refused> {
  if (!FORM_ID.test(formId)) return refusal
  const loaded = world.formCache.get(formId) ?? (await load(formId, world).catch(() => null))
  return loaded?.stored.isPublished === true
    ? refusedIn(loaded.stored.definition, refusal.code, 'tooLarge', { max: BODY_MAX_BYTES })
    : refusal
}

/** Evaluates against one version of the form. `stale`: that version is no longer the stored one. */
async function attempt(
  loaded: LoadedForm,
  submission: Submission,
  world: SubmissionWorld,
  noteId: (submissionId: string) => void,
): Promise<SubmissionResult | 'stale'> {
  const evaluation = await evaluate(loaded, submission, world.secrets)
  if (evaluation.kind !== 'acceptable') return evaluation
  noteId(evaluation.submission.submissionId)
  const outcome = await world.forms
    .submissionsOf(loaded.stored.organizationId)
    .saveSubmission(evaluation.submission)
  switch (outcome.kind) {
    case 'saved':
      announce(loaded.stored.organizationId, outcome.outboxIds, world)
      if (evaluation.passwordToRehash !== null) {
        world.background.run(rehashPassword(loaded, evaluation.passwordToRehash, world))
      }
      return evaluation.receipt
    case 'stale':
      return 'stale'
    case 'limit_reached':
      return refusedIn(loaded.stored.definition, 'submission_limit_reached', 'limitReached')
  }
}

/** Notifies the queue after the response. When that fails, the entries are still in the outbox. */
function announce(
  organizationId: string,
  outboxIds: readonly string[],
  { queue, background }: SubmissionWorld,
): void {
  if (queue === null || outboxIds.length === 0) return
  background.run(queue.send(outboxIds.map((outboxId) => ({ organizationId, outboxId }))))
}

/** Hashes a form's password under the current root secret on its first use after a rotation. */
async function rehashPassword(loaded: LoadedForm, password: string, world: SubmissionWorld): Promise<void> {
  const { stored } = loaded
  if (stored.passwordHash === null) return
  const { hashFormPassword } = await import('./password.ts')
  const passwordHash = await hashFormPassword(password, world.secrets, world.random)
  await world.forms
    .submissionsOf(stored.organizationId)
    .replacePasswordHash(stored.formId, stored.passwordHash, passwordHash)
  world.formCache.set({ ...loaded, stored: { ...stored, passwordHash } })
}

async function load(formId: string, { forms, formCache }: SubmissionWorld): Promise<LoadedForm | null> {
  const stored = await forms.find(formId)
  if (stored === null) {
    formCache.delete(formId)
    return null
  }
  const known = formCache.get(formId)
  // The same version has the same definition, so it need not be compiled again.
  const loaded =
    known !== null && isSameVersion(known.stored, stored) ? { ...known, stored } : loadForm(stored)
  formCache.set(loaded)
  return loaded
}

/** Prepares a form that was just read from storage. */
export function loadForm(stored: StoredForm): LoadedForm {
  // Imports check only the form-level keys before they store a definition, so its fields are checked here.
  return { stored, compilation: compileForm(stored.definition) }
}

function isSameVersion(left: StoredForm | null, right: StoredForm | null): boolean {
  return left?.version === right?.version && left?.organizationId === right?.organizationId
}

/** Forms kept across requests. An entry may be out of date: the store must confirm it. */
export interface FormCache {
  get(formId: string): LoadedForm | null
  set(form: LoadedForm): void
  delete(formId: string): void
}

/**
 * A cache that holds definitions of at most `maxCharacters`, measured as JSON, so that they and the compiled forms stay
 * far below the 128 MB of an isolate. The forms that have not been used for longest are dropped first; a form that is
 * too large is not kept.
 */
export function createFormCache(maxCharacters = 4_000_000): FormCache {
  const entries = new Map<string, { readonly form: LoadedForm; readonly characters: number }>()
  let total = 0
  const remove = (formId: string): void => {
    total -= entries.get(formId)?.characters ?? 0
    entries.delete(formId)
  }
  return {
    get: (formId) => {
      const entry = entries.get(formId)
      if (entry === undefined) return null
      // A Map keeps the order of insertion, so removing and adding the form makes it the most recent one.
      entries.delete(formId)
      entries.set(formId, entry)
      return entry.form
    },
    set: (form) => {
      const characters = JSON.stringify(form.stored.definition).length
      remove(form.stored.formId)
      entries.set(form.stored.formId, { form, characters })
      total += characters
      for (const formId of entries.keys()) {
        if (total <= maxCharacters) break
        remove(formId)
      }
    },
    delete: remove,
  }
}

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
  if (result.kind === 'saved' && result.redirectUrl !== null) {
    const headers = { ...SUBMISSION_HEADERS, location: result.redirectUrl }
    return { status: 303 as const, headers, body: null }
  }
  return pageReply(200, result.voice, ({ successPage, wayBack }, say) =>
    successPage(result, wayBack(request), say),
  )
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
  const failure: ReplyPages.Failure = {
    ...refused('internal_error', error),
    code: code === 'internal_error' ? 'unknown_outcome' : code,
  }
  const page: Page = ({ failurePage, wayBack }, say) => failurePage(failure, wayBack(request), say)
  return pageReply(failureStatus[code], null, page, headers)
}

/** Writes a page in the language of its form. */
type Page = (pages: typeof ReplyPages, say: Say) => string

/** A reply with a page. Few requests want one, so the pages are loaded by the first that does. */
async function pageReply<Status extends number>(
  status: Status,
  voice: Voice | null,
  page: Page,
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

/**
 * What websites call: the part of the public interface whose replies, failures included, pages of any origin may read.
 * It needs no more than forms, so an isolate that takes submissions loads nothing else, not even the records.
 */
export const submissionApi: Api<SubmissionWorld> = {
  routes: [
    {
      ...submitOperation,
      ...served<typeof postSubmission>(async (routed, world) => serveSubmission(routed, world)),
    },
    { ...preflightOperation, ...served<typeof preflightForm>(async () => preflight()) },
  ],
  answerWrongMethod: async (allowed, { request }) =>
    failedReply(request, 'method_not_allowed', 'Method not allowed', { allow: allowed.join(', ') }),
  answerFailure: async ({ request, requestId }) =>
    failedReply(request, 'internal_error', unknownOutcome(requestId)),
  // The id of the form is malformed.
  answerUnknownRoute: ({ request }) =>
    submissionReply(request, contentTypeOf(request.headers), formNotFound()),
}

/** Serves an operation that anybody may call. */
function served<Record extends typeof postSubmission | typeof preflightForm>(
  handler: HandlerFor<Record, SubmissionWorld>,
): Served<SubmissionWorld> {
  return {
    serve: async (routed, world) => handler({ ...routed, query: {} }, world, null),
    judge: async (_routed, _world, verdict) => verdict,
  }
}

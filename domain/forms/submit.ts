import type { Background } from '../../ports/background.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { FormDirectory } from '../../ports/form-directory.ts'
import type { Queue } from '../../ports/queue.ts'
import type { RandomSource } from '../../ports/random-source.ts'
import type { Secrets } from '../tenancy/secrets.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { readBody } from './body.ts'
import type { FormCache, LoadedForm } from './cache.ts'
import { loadForm } from './cache.ts'
import type { Submission } from './evaluate.ts'
import { evaluate, formNotFound } from './evaluate.ts'
import { FORM_ID } from './limits.ts'
import { hashFormPassword } from './password.ts'
import type { SubmissionResult } from './result.ts'
import { refused } from './result.ts'

/** What a submission needs of the world. */
export interface SubmissionDeps {
  readonly forms: FormDirectory
  /** Kept across requests by the host. */
  readonly formCache: FormCache
  readonly secrets: Secrets
  readonly clock: Clock
  readonly random: RandomSource
  readonly deadline: Deadline
  readonly background: Background
  /** Null: what follows a submission waits for the sweep. */
  readonly queue: Queue | null
}

const ID_LENGTH = 22
/** A form that keeps changing under a submission is given up on: nothing was saved. */
const ROUNDS_MAX = 3

/**
 * Takes one submission of a form: reads the request's body once, judges it, and saves it with its contact and its
 * follow-up work in one step. A form that is still as it was cached costs one storage call; every other answer
 * that a cached form gives is confirmed by looking the form up. Rejects when storage fails: then it is unknown
 * whether the submission was saved.
 */
export async function submitForm(
  formId: string,
  request: Request,
  deps: SubmissionDeps,
): Promise<SubmissionResult> {
  const reading = await readBody(request, deps.deadline)
  if (reading.kind === 'refused') return reading
  if (!FORM_ID.test(formId)) return formNotFound()
  const submission: Submission = {
    body: reading.body,
    origin: request.headers.get('origin'),
    submittedAt: toInstant(deps.clock.nowMs()),
    newId: (prefix) => `${prefix}_${randomBase62(ID_LENGTH, (length) => deps.random.bytes(length))}`,
  }
  const cached = deps.formCache.get(formId)
  let isConfirmed = cached === null
  let loaded = cached ?? (await load(formId, deps))
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const result = loaded === null ? formNotFound() : await attempt(loaded, submission, deps)
    if (result !== 'stale' && (isConfirmed || result.kind === 'saved')) return result
    const reloaded = await load(formId, deps)
    if (result !== 'stale' && isSameVersion(loaded, reloaded)) return result
    loaded = reloaded
    isConfirmed = true
  }
  return refused('internal_error', 'The form is being changed. Nothing was saved.')
}

/** One evaluation against one version of the form; `stale` when that version is no longer the stored one. */
async function attempt(
  loaded: LoadedForm,
  submission: Submission,
  deps: SubmissionDeps,
): Promise<SubmissionResult | 'stale'> {
  const evaluation = await evaluate(loaded, submission, deps.secrets)
  if (evaluation.kind !== 'acceptable') return evaluation
  const outcome = await deps.forms.tenantOf(loaded.stored).saveSubmission(evaluation.submission)
  switch (outcome.kind) {
    case 'saved':
      announce(loaded.stored.organizationId, outcome.outboxIds, deps)
      if (evaluation.passwordToRehash !== null) {
        deps.background.run(rehashPassword(loaded, evaluation.passwordToRehash, deps))
      }
      return evaluation.receipt
    case 'stale':
      return 'stale'
    case 'limit_reached':
      return refused('submission_limit_reached', 'This form was already submitted as often as it allows.')
  }
}

/** Lets the queue know after the response. When that fails, the entries are in the outbox all the same. */
function announce(
  organizationId: string,
  outboxIds: readonly string[],
  { queue, background }: SubmissionDeps,
): void {
  if (queue === null || outboxIds.length === 0) return
  background.run(queue.send(outboxIds.map((outboxId) => ({ organizationId, outboxId }))))
}

/** After a rotation of the root secret, a form's password hash moves to the current one on its first use. */
async function rehashPassword(loaded: LoadedForm, password: string, deps: SubmissionDeps): Promise<void> {
  const { stored } = loaded
  if (stored.passwordHash === null) return
  const passwordHash = await hashFormPassword(password, deps.secrets, deps.random)
  await deps.forms.tenantOf(stored).replacePasswordHash(stored.formId, stored.passwordHash, passwordHash)
  deps.formCache.set({ ...loaded, stored: { ...stored, passwordHash } })
}

async function load(formId: string, { forms, formCache }: SubmissionDeps): Promise<LoadedForm | null> {
  const stored = await forms.find(formId)
  if (stored === null) {
    formCache.delete(formId)
    return null
  }
  const known = formCache.get(formId)
  // The same version has the same definition, so it needs no second compilation.
  const loaded = known !== null && isSameVersion(known, { stored }) ? { ...known, stored } : loadForm(stored)
  formCache.set(loaded)
  return loaded
}

type Versioned = Pick<LoadedForm, 'stored'>

function isSameVersion(left: Versioned | null, right: Versioned | null): boolean {
  if (left === null || right === null) return left === right
  return (
    left.stored.version === right.stored.version && left.stored.organizationId === right.stored.organizationId
  )
}

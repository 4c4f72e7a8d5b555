import type { Background, Clock, Deadline, RandomSource } from '../../../ports/platform.ts'
import type { FormDirectory } from '../../../ports/records.ts'
import type { Queue } from '../../../ports/messaging.ts'
import type { Secrets } from '../../access/secrets.ts'
import type { Identity, RoutedRequest } from '../../record/operation/routed-request.ts'
import { randomBase62 } from '../../text/encoding.ts'
import { toInstant } from '../../text/instant.ts'
import { readBody, type Posted } from '../body/body.ts'
import { loadForm, type FormCache, type LoadedForm } from './cache.ts'
import { evaluate, type Submission } from './evaluate.ts'
import { FORM_ID } from '../definition/limits.ts'
import { hashFormPassword } from './password.ts'
import { formNotFound, refused, type SubmissionResult } from '../answer/result.ts'

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
): Promise<SubmissionResult> {
  const reading = await readBody(posted, world.deadline)
  if (reading.kind === 'refused') return reading
  if (!FORM_ID.test(formId)) return formNotFound()
  const submission: Submission = {
    body: reading.body,
    origin: posted.request.headers.get('origin'),
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
      if (result !== 'stale' && isSameVersion(loaded, reloaded)) return result
      loaded = reloaded
      isConfirmed = true
    }
    return refused('internal_error', 'The form is being changed. Nothing was saved.')
  } finally {
    if (loaded !== null) identified({ organizationId: loaded.stored.organizationId, keyId: null, ...saved })
  }
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
      return refused('submission_limit_reached', 'This form was already submitted as often as it allows.')
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

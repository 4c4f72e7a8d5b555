import type { NewSubmission } from '../../../ports/records.ts'
import type { Secrets } from '../../access/secrets.ts'
import { readAnswers } from './answers.ts'
import type { LoadedForm } from './cache.ts'
import type { CompiledForm } from '../definition/compiled/compile.ts'
import { contactOf } from './contact.ts'
import { readControlKeys, type ControlKeys } from './control-keys.ts'
import { defaultSuccess } from '../definition/definition.ts'
import type { SubmittedBody } from '../definition/answers/entries.ts'
import { outboxOf } from './outbox.ts'
import { verifyFormPassword } from './password.ts'
import { resolveRedirect } from './redirect.ts'
import {
  formNotFound,
  refused,
  refusedFields,
  type Honeypot,
  type Refused,
  type Saved,
} from '../answer/result.ts'

/**
 * The content of a request and the values that it was given on arrival. They do not change when it is evaluated again.
 */
export interface Submission {
  readonly body: SubmittedBody
  /** The `Origin` header. */
  readonly origin: string | null
  /** UTC instant. */
  readonly submittedAt: string
  /** Makes a new identifier with the prefix. */
  readonly newId: (prefix: 'sub' | 'con') => string
}

/**
 * The result of evaluating a submission: a verdict with nothing to save, or what to save together with the receipt to
 * send afterwards.
 */
export type Evaluation = Refused | Honeypot | Acceptable

/** A submission to save, and the receipt to send once it is saved. */
interface Acceptable {
  readonly kind: 'acceptable'
  readonly submission: NewSubmission
  readonly receipt: Saved
  /** The password, when the stored hash of it must be made anew under the current root secret; else null. */
  readonly passwordToRehash: string | null
}

/**
 * Evaluates a submission against one version of a form. The checks run in the order in which callers are told of
 * failures.
 */
export async function evaluate(
  loaded: LoadedForm,
  submission: Submission,
  secrets: Secrets,
): Promise<Evaluation> {
  const { stored, compilation } = loaded
  if (!stored.isPublished) return formNotFound()
  if (compilation.kind === 'unsupported') {
    const hostedUrl = stored.definition.publicUrl ?? null
    return {
      ...refused('hosted_form_required', 'This form can only be completed on its hosted page.'),
      hostedUrl,
    }
  }
  const control = readControlKeys(submission.body.entries)
  if (control.kind === 'invalid') return refusedFields(control.fieldErrors)
  const { keys } = control
  if (keys.isTrapped) return { kind: 'honeypot', message: defaultSuccess.message }
  const check = await checkPassword(stored.passwordHash, keys.password, secrets)
  if (check.kind === 'refused') return check
  const redirectUrl = keys.redirect === null ? null : resolveRedirect(keys.redirect, submission.origin)
  if (keys.redirect !== null && redirectUrl === null) return invalidRedirect()
  const evaluation = await evaluateAnswers(loaded, compilation.form, submission, { ...keys, redirectUrl })
  if (evaluation.kind !== 'acceptable' || !check.rehash) return evaluation
  return { ...evaluation, passwordToRehash: keys.password }
}

function invalidRedirect(): Refused {
  return refused(
    'invalid_redirect',
    'The value of _redirect must be relative, or an http(s) URL with the scheme, host and port of the Origin header.',
  )
}

async function checkPassword(
  hash: string | null,
  password: string | null,
  secrets: Secrets,
): Promise<Refused | { readonly kind: 'passed'; readonly rehash: boolean }> {
  if (hash === null) return { kind: 'passed', rehash: false }
  if (password === null) return refused('password_required', 'This form needs a password.')
  const { ok, rehash } = await verifyFormPassword(password, hash, secrets)
  return ok ? { kind: 'passed', rehash } : refused('invalid_password', 'The password is wrong.')
}

async function evaluateAnswers(
  { stored }: LoadedForm,
  form: CompiledForm,
  { body, submittedAt, newId }: Submission,
  keys: Pick<ControlKeys, 'attribution'> & { readonly redirectUrl: string | null },
): Promise<Evaluation> {
  const reading = readAnswers(form, body)
  if (reading.kind === 'invalid') return refusedFields(reading.fieldErrors, form.answerFields)
  const contact = await contactOf(form, reading.given, stored.phoneCountry, newId('con'))
  const limitPerContact = form.definition.submissionLimitPerContact ?? null
  if (limitPerContact !== null && contact === null)
    return refusedFields(unidentified(form), form.answerFields)
  const submissionId = newId('sub')
  const { definition } = form
  return {
    kind: 'acceptable',
    submission: {
      submissionId,
      formId: stored.formId,
      formVersion: stored.version,
      submittedAt,
      source: 'headless',
      answers: reading.answers,
      attribution: keys.attribution,
      contact,
      limitPerContact,
      outbox: outboxOf(definition, submissionId),
    },
    passwordToRehash: null,
    receipt: {
      kind: 'saved',
      submissionId,
      title: definition.successTitle ?? defaultSuccess.title,
      message: definition.successMessage ?? defaultSuccess.message,
      redirectUrl: keys.redirectUrl,
    },
  }
}

/**
 * The error for a submission that identifies no contact, to a form with a per-contact limit: such a submission would
 * bypass the limit.
 */
function unidentified({ identifyingField }: CompiledForm): ReadonlyMap<string, string> {
  const kind = identifyingField?.contactField === 'phone' ? 'phone number' : 'email address'
  return new Map([[identifyingField?.id ?? '', `Enter a valid ${kind}.`]])
}

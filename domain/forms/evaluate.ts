import type { FormDefinition, NewSubmission, StoredForm, SubmittedContact } from '../../ports/records.ts'
import type { Secrets } from '../access/secrets.ts'
import type { Compilation, CompiledForm } from './language/compile.ts'
import {
  defaultSuccess,
  type AnswerValue,
  type ContactField,
  GOTCHA_MAX_LENGTH,
  PASSWORD_MAX_LENGTH,
} from './language/definition.ts'
import {
  answerProblem,
  readAnswer,
  typedBeside,
  type SubmittedBody,
  type Entries,
  type AnswerReading,
  isBlank,
} from './language/answers.ts'
import type { Sentence } from './language/words.ts'
import { unescapeName } from './body.ts'
import { outboxOf } from './outbox.ts'
import {
  formNotFound,
  refused,
  refusedFields,
  type Honeypot,
  type Refused,
  type Saved,
  type RefusalCode,
} from './result.ts'
import { judge } from '../spam/judge.ts'
import { visibleFields } from './language/visibility.ts'
import {
  withLineFeeds,
  emailKey,
  readEmailAddress,
  isStorableText,
  cutText,
  characterCount,
} from '../text/typed-text.ts'
import { attributionKeys, attributionMaxLength } from './language/attribution.ts'
import { keysOf } from '../text/encoding.ts'
import { echoed } from '../limits/limits.ts'

/** A stored form, with its definition prepared. */
export interface LoadedForm {
  readonly stored: StoredForm
  readonly compilation: Compilation
}

/**
 * The content of a request and the values that it was given on arrival. They do not change when it is evaluated again.
 */
export interface Submission {
  readonly body: SubmittedBody
  /** Where it was sent to. */
  readonly door: Door
  /** The `Origin` header. */
  readonly origin: string | null
  /** The origin of the service under which it was asked. */
  readonly servedAt: string
  /** Where it came from, as `networkOf` gives it; null: that is not known, or tells nobody apart. */
  readonly network: string | null
  /** UTC instant. */
  readonly submittedAt: string
  /** Makes a new identifier with the prefix. */
  readonly newId: (prefix: 'sub' | 'con') => string
}

/**
 * The result of evaluating a submission: a verdict with nothing to save, or what to save together with the receipt to
 * send afterwards.
 */
type Evaluation = Refused | Honeypot | Acceptable

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
    return { ...(await refusedIn(stored.definition, 'hosted_form_required', 'hostedOnly')), hostedUrl }
  }
  const control = readControlKeys(submission.body.entries, submission.door)
  if (control.kind === 'invalid') return refusedValues(compilation.form, control.fieldErrors)
  const { keys } = control
  if (keys.isTrapped) return { kind: 'honeypot', ...(await acknowledgmentOf(stored.definition)) }
  const check = await checkPassword(stored, keys.password, secrets)
  if (check.kind === 'refused') return check
  const redirectUrl = keys.redirect === null ? null : await redirectOf(keys.redirect, submission)
  if (keys.redirect !== null && redirectUrl === null)
    return refused(
      'invalid_redirect',
      `The value of ${submission.door.redirectKeys.join(' or ')} must be relative, or an http(s) URL with the scheme, host and port of the Origin header.`,
    )
  const evaluation = await evaluateAnswers(loaded, compilation.form, submission, {
    ...keys,
    redirectUrl,
    secrets,
  })
  if (evaluation.kind !== 'acceptable' || !check.rehash) return evaluation
  return { ...evaluation, passwordToRehash: keys.password }
}

/** The thank-you URL; null: it is not allowed. What decides that is loaded by the first submission with one. */
async function redirectOf(given: unknown, { origin }: Submission): Promise<string | null> {
  const { resolveRedirect } = await import('./redirect.ts')
  return resolveRedirect(given, origin)
}

async function checkPassword(
  { passwordHash, definition }: StoredForm,
  password: string | null,
  secrets: Secrets,
): Promise<Refused | { readonly kind: 'passed'; readonly rehash: boolean }> {
  if (passwordHash === null) return { kind: 'passed', rehash: false }
  if (password === null) return refusedIn(definition, 'password_required', 'passwordRequired')
  // Few forms have a password, so the rules of passwords are loaded by the first submission to one.
  const { verifyFormPassword } = await import('./password.ts')
  const { ok, rehash } = await verifyFormPassword(password, passwordHash, secrets)
  return ok ? { kind: 'passed', rehash } : refusedIn(definition, 'invalid_password', 'passwordWrong')
}

/** Speaks as a form does. Its words are loaded by the first submission that needs them. */
async function speakerOf({ language, texts }: FormDefinition) {
  const { sayerOf } = await import('./language/words.ts')
  const voice = { language, texts }
  return { say: await sayerOf(voice), voice }
}

/** Refuses a submission in the words of its form. */
export async function refusedIn(
  definition: FormDefinition,
  code: RefusalCode,
  ...sentence: Sentence
): Promise<Refused> {
  const { say, voice } = await speakerOf(definition)
  return { ...refused(code, say(sentence)), voice }
}

/** The same for wrong values, by their keys. */
async function refusedValues(
  { definition, answerFields }: CompiledForm,
  problems: ReadonlyMap<string, Sentence>,
): Promise<Refused> {
  const { say, voice } = await speakerOf(definition)
  const said = new Map([...problems].map(([key, problem]) => [key, say(problem)]))
  const error = say([said.size === 1 ? 'oneProblem' : 'problems'])
  return { ...refusedFields(error, said, answerFields), voice }
}

/** What a visitor is told after a submission to a form that has no texts of its own for it. */
async function acknowledgmentOf(definition: FormDefinition) {
  const isEnglish = (definition.language ?? 'en') === 'en' && (definition.texts ?? null) === null
  if (isEnglish) return { ...defaultSuccess, voice: null }
  const { say, voice } = await speakerOf(definition)
  return { title: say(['successTitle']), message: say(['successMessage']), voice }
}

/** The values of a submission besides its answers. */
interface ControlKeys {
  /** Whether the bot trap was filled. Even spaces fill it. */
  readonly isTrapped: boolean
  /** Null when none was given. */
  readonly password: string | null
  /** The single value that was given, not yet checked; null when none was. */
  readonly redirect: unknown
  /** The given and usable values, by name without the leading underscore. */
  readonly attribution: Readonly<Record<string, string>>
}

/** What is wrong, by key. */
type Problems = ReadonlyMap<string, Sentence>

type ControlKeysReading =
  | { readonly kind: 'keys'; readonly keys: ControlKeys }
  | { readonly kind: 'invalid'; readonly fieldErrors: Problems }

/** The control keys for attribution, with the names under which their values are stored. */
const attributionNames = attributionKeys.map((name) => [`_${name}`, name] as const)

type Values = readonly unknown[] | undefined

/** For each control key that can be wrong, a function that returns the problem with its values; null: none. */
const judges = {
  _gotcha: gotchaProblem,
  _password: passwordProblem,
  _redirect: redirectProblem,
} satisfies Readonly<Record<string, (values: Values) => Sentence | null>>

/** A control key that can be wrong. Those for attribution cannot. */
export type JudgedKey = keyof typeof judges

const controlKeys = new Set<string>([...keysOf(judges), ...attributionNames.map(([key]) => key)])

/** An address to which submissions are sent: what a body may contain there besides answers. */
export interface Door {
  /** Whether `_gotcha` may be left out. */
  readonly isGotchaOptional: boolean
  /** The keys under which the thank-you URL may be given, once in all. */
  readonly redirectKeys: readonly string[]
  /** Control keys that the contract does not have. They cannot be wrong. */
  readonly ownKeys: readonly string[]
  /**
   * Reads the values of a body that are neither answers nor known control keys.
   * @param unknown the entries of which the form knows nothing, without those of control keys
   */
  readOthers(form: CompiledForm, unknown: Entries, body: SubmittedBody): OthersReading
}

/** What was read of a body besides its answers. */
export interface OthersReading {
  /** What is kept beside the answers, by name; null: nothing. */
  readonly extra: Readonly<Record<string, string>> | null
  readonly problems: Problems
}

/** The address of the contract, which refuses every key that it does not know. */
export const contractDoor: Door = {
  isGotchaOptional: false,
  redirectKeys: ['_redirect'],
  ownKeys: [],
  readOthers: (_form, unknown) => ({ extra: null, problems: unknownKeys(unknown) }),
}

/** An error for each key that a form does not have. The keys are shortened, because the reply repeats them. */
export function unknownKeys(unknown: Entries): Problems {
  return new Map([...unknown.keys()].map((key) => [echoed(key), ['noSuchField']]))
}

/** Whether a key of a body is a control key, which never names a field. */
export function isControlKey(key: string, { redirectKeys, ownKeys }: Door = contractDoor): boolean {
  return controlKeys.has(key) || redirectKeys.includes(key) || ownKeys.includes(key)
}

/** Reads the control keys of a body (contract, Control keys). An unusable attribution is ignored and never refused. */
export function readControlKeys(entries: Entries, door: Door = contractDoor): ControlKeysReading {
  const fieldErrors = new Map<string, Sentence>()
  const redirectKeys = door.redirectKeys.filter((key) => entries.has(key))
  const redirects = redirectKeys.flatMap((key) => entries.get(key) ?? [])
  const given: Readonly<Record<JudgedKey, Values>> = {
    _gotcha: entries.get('_gotcha') ?? (door.isGotchaOptional ? [''] : undefined),
    _password: entries.get('_password'),
    _redirect: redirectKeys.length === 0 ? undefined : redirects,
  }
  for (const key of keysOf(judges)) {
    const problem = judges[key](given[key])
    const shown = key === '_redirect' ? (redirectKeys[0] ?? key) : key
    if (problem !== null) fieldErrors.set(shown, problem)
  }
  if (fieldErrors.size > 0) return { kind: 'invalid', fieldErrors }
  const password = entries.get('_password')?.[0] ?? null
  const redirect = redirects[0] ?? null
  return {
    kind: 'keys',
    keys: {
      isTrapped: given._gotcha?.[0] !== '',
      password: typeof password === 'string' && password !== '' ? password : null,
      redirect: redirect === '' ? null : redirect,
      attribution: readAttribution(entries),
    },
  }
}

function gotchaProblem(values: Values): Sentence | null {
  if (values === undefined) return ['keyMissing']
  return textProblem(values, GOTCHA_MAX_LENGTH)
}

function passwordProblem(values: Values): Sentence | null {
  return values === undefined || isAbsent(values) ? null : textProblem(values, PASSWORD_MAX_LENGTH)
}

/** Only a list is refused here; any other value is checked later, when the redirect is resolved. */
function redirectProblem(values: Values): Sentence | null {
  if (values === undefined || (values.length === 1 && !Array.isArray(values[0]))) return null
  return ['keySingle']
}

function isAbsent(values: readonly unknown[]): boolean {
  return values.length === 1 && values[0] === null
}

function textProblem(values: readonly unknown[], maxLength: number): Sentence | null {
  const [value, ...more] = values
  if (more.length > 0) return ['keyOnce']
  if (typeof value !== 'string') return ['mustBeText']
  return characterCount(value) > maxLength ? ['atMostCharacters', { max: maxLength }] : null
}

function readAttribution(entries: Entries): Readonly<Record<string, string>> {
  const attribution: Record<string, string> = {}
  for (const [key, name] of attributionNames) {
    const values = entries.get(key)
    if (values?.length !== 1 || !isUsable(values[0])) continue
    attribution[name] = cutText(values[0].trim(), attributionMaxLength)
  }
  return attribution
}

function isUsable(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value) && isStorableText(value)
}

async function evaluateAnswers(
  { stored }: LoadedForm,
  form: CompiledForm,
  { body, door, submittedAt, network, servedAt, newId }: Submission,
  keys: Pick<ControlKeys, 'attribution'> & {
    readonly redirectUrl: string | null
    readonly secrets: Secrets
  },
): Promise<Evaluation> {
  const reading = readAnswers(form, body, door)
  if (reading.kind === 'invalid') return refusedValues(form, reading.fieldErrors)
  const contact = await contactOf(form, reading.given, stored.phoneCountry, newId('con'))
  const limitPerContact = form.definition.submissionLimitPerContact ?? null
  if (limitPerContact !== null && contact === null) return refusedValues(form, unidentified(form))
  const submissionId = newId('sub')
  const { definition } = form
  const { title, message, voice } = await acknowledgmentOf(definition)
  return {
    kind: 'acceptable',
    submission: {
      submissionId,
      formId: stored.formId,
      formVersion: stored.version,
      submittedAt,
      source: 'headless',
      answers: reading.answers,
      typed: typedBeside(form.answerFields, reading.answers, reading.given),
      extra: reading.extra,
      attribution: keys.attribution,
      contact,
      limitPerContact,
      outbox: outboxOf(definition, submissionId),
      servedAt,
      judged:
        definition.spamFilter === 'off' ? null : await judge(stored, form, reading, network, keys.secrets),
    },
    passwordToRehash: null,
    receipt: {
      kind: 'saved',
      submissionId,
      title: definition.successTitle ?? title,
      message: definition.successMessage ?? message,
      redirectUrl: keys.redirectUrl,
      voice,
    },
  }
}

/**
 * The error for a submission that identifies no contact, to a form with a per-contact limit: such a submission would
 * bypass the limit.
 */
function unidentified({ identifyingField }: CompiledForm): ReadonlyMap<string, Sentence> {
  const isPhone = identifyingField?.contactField === 'phone'
  return new Map([[identifyingField?.id ?? '', [isPhone ? 'validPhone' : 'validEmail']]])
}

type AnswersReading =
  | {
      readonly kind: 'valid'
      /** The answers to store: those of visible fields, by field id. */
      readonly answers: Readonly<Record<string, AnswerValue>>
      /** The texts of those answers exactly as they were sent, by field id. */
      readonly given: ReadonlyMap<string, string>
      /** What is kept beside the answers; null: nothing. */
      readonly extra: Readonly<Record<string, string>> | null
    }
  | { readonly kind: 'invalid'; readonly fieldErrors: ReadonlyMap<string, Sentence> }

/**
 * Checks a body against a form. Answers to hidden fields are dropped without a check. Every field that fails is named,
 * and then every key that the door does not take; the id of a display-only field counts as unknown.
 */
export function readAnswers(
  form: CompiledForm,
  body: SubmittedBody,
  door: Door = contractDoor,
): AnswersReading {
  const entries = entriesById(form, body)
  const readings = new Map<string, AnswerReading>()
  const values = new Map<string, AnswerValue>()
  for (const field of form.answerFields.values()) {
    const reading = readAnswer(field, entries.get(field.id) ?? NO_VALUES, body.format)
    readings.set(field.id, reading)
    if (reading.kind === 'answer') values.set(field.id, reading.value)
  }
  const visible = visibleFields(form.resolved, values)
  const fieldErrors = new Map<string, Sentence>()
  const answers: [string, AnswerValue][] = []
  const given = new Map<string, string>()
  for (const [id, reading] of readings) {
    const field = form.answerFields.get(id)
    if (field === undefined || !visible.has(id)) continue
    const problem = answerProblem(field, reading)
    if (problem !== null) fieldErrors.set(id, problem)
    if (reading.kind !== 'answer') continue
    answers.push([id, reading.value])
    if (reading.given !== null) given.set(id, reading.given)
  }
  const unknown = [...entries].filter(([key]) => !form.answerFields.has(key) && !isControlKey(key, door))
  const { extra, problems } = door.readOthers(form, new Map(unknown), body)
  for (const [key, problem] of problems) if (!fieldErrors.has(key)) fieldErrors.set(key, problem)
  return fieldErrors.size > 0
    ? { kind: 'invalid', fieldErrors }
    : { kind: 'valid', answers: Object.fromEntries(answers), given, extra }
}

/** The values of a field that the body does not contain. */
const NO_VALUES: readonly unknown[] = []

/**
 * The entries by the ids of fields: browsers send a line break within a name as CRLF, whatever it was in the page, and a
 * name of a multipart body was freed of escapes that an id may have as its own text.
 */
function entriesById({ answerFields }: CompiledForm, { format, entries }: SubmittedBody): Entries {
  const broken =
    format === 'form' ? [...answerFields.keys()].filter((id) => /[\r\n]|%22|%0[AD]/.test(id)) : []
  if (broken.length === 0) return entries
  const ids = new Map(broken.map((id) => [withLineFeeds(unescapeName(id)), id]))
  const idOf = (name: string) => (answerFields.has(name) ? name : (ids.get(withLineFeeds(name)) ?? name))
  return new Map([...entries].map(([name, values]) => [idOf(name), values]))
}

/**
 * The contact that a submission identifies, or null when neither a valid email nor a valid phone names one. Where two
 * fields fill the same attribute, the first usable answer counts.
 * @param given texts of the answers as they were sent, by field id
 * @param phoneCountry the organization's country for national numbers (ISO 3166-1 alpha-2)
 */
export async function contactOf(
  form: CompiledForm,
  given: ReadonlyMap<string, string>,
  phoneCountry: string,
  newContactId: string,
): Promise<SubmittedContact | null> {
  const textsOf = (attribute: ContactField): readonly string[] =>
    form.contactFields
      .filter(({ contactField }) => contactField === attribute)
      .map((field) => (given.get(field.id) ?? '').trim())
      .filter((text) => text !== '')
  const email = textsOf('email').flatMap((text) => readEmailAddress(text) ?? [])[0] ?? null
  // A stored phone answer has lost its country code, so the number is parsed from the text as it was sent.
  const phone = await firstPhone(textsOf('phone'), phoneCountry)
  if (email === null && phone === null) return null
  const [firstName = null] = textsOf('firstName')
  const [lastName = null] = textsOf('lastName')
  const [licensePlate = null] = textsOf('licensePlate')
  const key = email === null ? null : emailKey(email)
  return { newContactId, email, emailKey: key, phone, firstName, lastName, licensePlate }
}

/** The first valid number, in E.164, without its extension. The metadata of phone numbers is loaded by the first submission with a number. */
async function firstPhone(texts: readonly string[], country: string): Promise<string | null> {
  if (texts.length === 0) return null
  const { phoneWithoutExtension } = await import('../text/phone-number.ts')
  for (const text of texts) {
    const e164 = phoneWithoutExtension(text, country)
    if (e164 !== null) return e164
  }
  return null
}

import type { StoredForm } from '../../ports/records.ts'
import type { Api } from '../create-api.ts'
import type { Reply, RoutedRequest } from '../record/reply.ts'
import { characterCount, cutText, isStorableText, readEmailAddress } from '../text/typed-text.ts'
import { contentTypeOf, parseUrl } from '../text/http.ts'
import { html, type Html, oneLine } from '../text/html.ts'
import { readBody } from './body.ts'
import { formPage, formPageStyle, passwordPage } from './form-page.ts'
import { clientFormOf } from './language/client-form.ts'
import { compileForm, type CompiledForm } from './language/compile.ts'
import {
  FORM_ID,
  PASSWORD_MAX_LENGTH,
  type Language,
  ANSWER_MAX_LENGTH,
  ITEMS_MAX,
  EXTRA_MAX,
  EXTRA_NAME_MAX_LENGTH,
  REPLY_TO_KEY,
  SUBJECT_KEY,
  SUBJECT_MAX_LENGTH,
} from './language/definition.ts'
import { sayerOf, type SentenceKey, type Sentence } from './language/words.ts'
import { verifyFormPassword } from './password.ts'
import { hosted, pageHeaders, policyOf, renderPage } from './reply-pages.ts'
import { formPath, isSentToForm } from './page-path.ts'
import { unknownOutcome } from './result.ts'
import { failedReply, preflight, serveSubmission, type SubmissionWorld } from './submit.ts'
import { unknownKeys, type Door, type OthersReading } from './evaluate.ts'
import { echoed } from '../limits/limits.ts'
import { isBlank, type Entries } from './language/answers.ts'

/**
 * Each published form as a page of this service, at an address that can be shared. It is what "form html" prints, in the
 * name of the organization, and posts to the endpoint of the contract. A form with a password asks for it first: its
 * fields are in no page before. Every answer is a page, failures included, but for what is posted to the same address: a
 * page that was made for another form backend sends submissions there (`movingDoor`), and is answered as by the
 * endpoint of the contract.
 */
export const formPageApi: Api<SubmissionWorld> = {
  routes: [
    {
      id: 'forms.page',
      method: 'GET',
      path: formPath('{formId}'),
      judge,
      serve: async (routed, world) => servePage(routed, world),
    },
    {
      id: 'forms.submitMoved',
      method: 'POST',
      path: formPath('{formId}'),
      judge,
      serve: async (routed, world) => serveSubmission(routed, world, movingDoor),
    },
    {
      id: 'forms.preflightMoved',
      method: 'OPTIONS',
      path: formPath('{formId}'),
      judge,
      serve: async () => preflight(),
    },
    {
      id: 'forms.open',
      method: 'POST',
      path: `${formPath('{formId}')}/open`,
      judge,
      serve: async (routed, world) => serveOpened(routed, world),
    },
    {
      // What the address bar asks for when somebody comes back to a form that was opened.
      id: 'forms.reopen',
      method: 'GET',
      path: `${formPath('{formId}')}/open`,
      judge,
      serve: async ({ params: { formId = '' } }) => (FORM_ID.test(formId) ? toPage(formId) : notThere()),
    },
  ],
  answerWrongMethod: async (allowed) =>
    failure(405, 'That cannot be done here', [html`<p>Nothing was sent, and nothing was saved.</p>`], {
      allow: allowed.join(', '),
    }),
  answerFailure: async ({ request, url, requestId }) =>
    isSentToForm(request.method, url.pathname)
      ? failedReply(request, 'internal_error', unknownOutcome(requestId))
      : failure(500, 'Something went wrong', [
          html`<p>Please try again in a while.</p>`,
          html`<p class="soft">Request id: <code>${requestId}</code></p>`,
        ]),
  answerUnknownRoute: notThere,
}

/** A change of a form reaches every visitor within this time. */
const MAX_AGE_S = 60

const NO_STORE = { 'cache-control': 'no-store' }

async function judge(_routed: unknown, _world: unknown, verdict: Reply): Promise<Reply> {
  return verdict
}

/** A published form, and its definition where it can be submitted here; null: it must be hosted. */
interface Found {
  readonly stored: StoredForm
  readonly form: CompiledForm | null
}

/** Finds a published form. An id that no form can have costs nothing, an unknown one a look-up. */
async function find(routed: RoutedRequest, { forms }: SubmissionWorld): Promise<Found | null> {
  const { formId = '' } = routed.params
  const stored = FORM_ID.test(formId) ? await forms.find(formId) : null
  if (stored?.isPublished !== true) return null
  routed.identified({ organizationId: stored.organizationId, keyId: null })
  const compilation = compileForm(stored.definition)
  return { stored, form: compilation.kind === 'supported' ? compilation.form : null }
}

/** Answers `GET /f/{formId}`. */
async function servePage(routed: RoutedRequest, world: SubmissionWorld): Promise<Reply> {
  const found = await find(routed, world)
  if (found === null) return notThere()
  const { stored, form } = found
  if (form === null) return elsewhere(stored, routed.url)
  const cached = { 'cache-control': `public, max-age=${MAX_AGE_S}` }
  return stored.passwordHash === null
    ? page(200, formPage(clientFormOf(form, false), await optionsOf(stored)), cached)
    : asked(stored, 200, null, cached)
}

/** Answers `POST /f/{formId}/open`: the form, for the right password. */
async function serveOpened(routed: RoutedRequest, world: SubmissionWorld): Promise<Reply> {
  const contentType = contentTypeOf(routed.request.headers)
  const reading = await readBody({ request: routed.request, contentType }, world.deadline)
  const found = await find(routed, world)
  if (found === null) return notThere()
  const { stored, form } = found
  if (form === null) return elsewhere(stored, routed.url)
  if (stored.passwordHash === null) return toPage(stored.formId)
  const given = reading.kind === 'body' ? reading.body.entries.get('_password') : undefined
  const [password] = given?.length === 1 ? given : []
  if (typeof password !== 'string' || password === '') return asked(stored, 401, 'passwordRequired', NO_STORE)
  const isPossible = characterCount(password) <= PASSWORD_MAX_LENGTH
  if (!isPossible || !(await verifyFormPassword(password, stored.passwordHash, world.secrets)).ok)
    return asked(stored, 401, 'passwordWrong', NO_STORE)
  const opened = formPage(clientFormOf(form, true), { ...(await optionsOf(stored)), password })
  return page(200, opened, NO_STORE)
}

async function optionsOf({ organizationName, definition }: StoredForm) {
  const say = await sayerOf(definition)
  return { service: '', hasClient: true, organization: organizationName, say }
}

async function asked(
  stored: StoredForm,
  status: number,
  problem: SentenceKey | null,
  headers: Reply['headers'],
): Promise<Reply> {
  const { formId, definition } = stored
  const { organization, say } = await optionsOf(stored)
  const markup = passwordPage(
    { formId, name: definition.name },
    { organization, say },
    { action: `${formPath(formId)}/open`, problem: problem === null ? null : say([problem]) },
  )
  return page(status, markup, headers)
}

/** A form that can only be completed elsewhere. A page that names itself as that place leads nowhere. */
async function elsewhere({ definition, organizationName }: StoredForm, url: URL): Promise<Reply> {
  const say = await sayerOf(definition)
  const address = parseUrl(definition.publicUrl ?? '')
  const isHere = address?.host === url.host && address.pathname.startsWith(formPath(''))
  const way = isHere ? [] : hosted(definition.publicUrl ?? null, say)
  return failure(
    409,
    say(['headingHosted']),
    [
      html`<p><strong dir="auto">${definition.name}</strong> (${organizationName})</p>`,
      html`<p>${say(['hostedOnly'])}</p>`,
      ...(way.length === 0 ? [html`<p>${say(['hostedBy', { organization: organizationName }])}</p>`] : way),
    ],
    {},
    say.language,
  )
}

function toPage(formId: string): Reply {
  return { status: 303, headers: { ...NO_STORE, location: formPath(formId) }, body: null }
}

function notThere(): Promise<Reply> {
  return failure(404, 'This form is not available', [
    html`<p>There is no form at this address. It may have been taken back: ask who gave it to you.</p>`,
  ])
}

/** What a page of a form may do: load its own style sheet and the form client, and send the form to this service. */
const mayDo = ["script-src 'self'", "connect-src 'self'", "form-action 'self'"]

let policy: Promise<string> | null = null

async function page(status: number, body: string, headers: Reply['headers']): Promise<Reply> {
  policy ??= policyOf(formPageStyle(), mayDo)
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': await policy,
      // The page that answers the form without scripts leads back to it.
      'referrer-policy': 'same-origin',
      ...ofEveryPage,
      ...headers,
    },
    body,
  }
}

const ofEveryPage = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

async function failure(
  status: number,
  heading: string,
  content: readonly Html[],
  headers: Reply['headers'] = {},
  language: Language = 'en',
): Promise<Reply> {
  return {
    status,
    headers: { ...(await pageHeaders()), ...ofEveryPage, ...NO_STORE, ...headers },
    body: renderPage({ title: heading, heading, tone: 'failure', language, content }),
  }
}

/**
 * What `POST /f/{formId}` takes: what pages send that were made for another form backend, so that they move here by
 * their action alone. All else is as at the address of the contract.
 */
const movingDoor: Door = {
  isGotchaOptional: true,
  redirectKeys: ['_next', '_redirect'],
  ownKeys: [SUBJECT_KEY, REPLY_TO_KEY],
  readOthers(form, unknown, { entries }) {
    const mail = readMail(entries)
    const { kept, problems } =
      form.definition.extraAnswers === 'keep'
        ? readExtra(unknown)
        : { kept: [], problems: unknownKeys(unknown) }
    const extra = [...mail, ...kept]
    return { extra: extra.length === 0 ? null : Object.fromEntries(extra), problems }
  },
}

/**
 * What a page says of the notification: its subject, in one line that is cut to its bound, and the address for replies. A
 * value that cannot be used, or that is given twice, is left out: no submission is refused for it.
 */
function readMail(entries: Entries): readonly (readonly [string, string])[] {
  const textOf = (key: string): string => {
    const [value, ...more] = entries.get(key) ?? []
    return typeof value === 'string' && more.length === 0 ? value : ''
  }
  const line = oneLine(
    textOf(SUBJECT_KEY)
      .replaceAll(/[\p{Zl}\p{Zp}]/gu, ' ')
      .toWellFormed(),
  )
  const mail = [
    [SUBJECT_KEY, cutText(line, SUBJECT_MAX_LENGTH).trim()],
    [REPLY_TO_KEY, readEmailAddress(textOf(REPLY_TO_KEY)) ?? ''],
  ] as const
  return mail.filter(([, value]) => value !== '')
}

/**
 * Reads what a form does not ask for. Empty values are left out, as empty answers are; the texts of a group of checkboxes
 * become one.
 */
function readExtra(unknown: Entries): Pick<OthersReading, 'problems'> & {
  readonly kept: readonly (readonly [string, string])[]
} {
  const kept: (readonly [string, string])[] = []
  const problems = new Map<string, Sentence>()
  for (const [name, values] of unknown) {
    const texts = textsIn(values)
    if (texts === null) problems.set(echoed(name), ['onlyTexts'])
    if (texts === null || texts.length === 0) continue
    const problem = extraProblem(name, texts, kept.length)
    if (problem === null) kept.push([name, texts.join(SEPARATOR)])
    else problems.set(echoed(name), problem)
  }
  return { kept, problems }
}

/** The texts of a value that are not blank: one text, those of a list, or all repetitions. Null: it has something else. */
function textsIn(values: readonly unknown[]): readonly string[] | null {
  const given = values.flat().filter((value) => value !== null)
  const texts = given.filter((value) => typeof value === 'string')
  return texts.length < given.length ? null : texts.filter((text) => !isBlank(text))
}

/** What stands between the texts of a list. */
const SEPARATOR = ', '

/** What is wrong with a value, or with its name; null: it is kept. */
function extraProblem(name: string, texts: readonly string[], keptCount: number): Sentence | null {
  const text = texts.join(SEPARATOR)
  if (name === '' || name.length > EXTRA_NAME_MAX_LENGTH || !isStorableText(name))
    return ['nameNotKept', { max: EXTRA_NAME_MAX_LENGTH }]
  if (keptCount >= EXTRA_MAX) return ['tooManyKept', { max: EXTRA_MAX }]
  if (texts.length > ITEMS_MAX) return ['chooseAtMost', { max: ITEMS_MAX }]
  if (characterCount(text) > ANSWER_MAX_LENGTH) return ['atMostCharacters', { max: ANSWER_MAX_LENGTH }]
  return isStorableText(text) ? null : ['unstorable']
}

import * as v from 'valibot'
import type { FormDefinition } from '../../ports/records.ts'
import type { FormChange } from '../../ports/operators.ts'
import { echoed, PROBLEMS_MAX } from '../limits/limits.ts'
import { FORM_ID } from '../forms/language/definition.ts'
import { clientFormOf } from '../forms/language/client-form.ts'
import { compileForm } from '../forms/language/compile.ts'
import { sayerOf } from '../forms/language/words.ts'
import { headlessSupport } from '../forms/language/support.ts'
import { formPage, formSnippet } from '../forms/form-page.ts'
import { formPath } from '../forms/page-path.ts'
import { hashFormPassword, verifyFormPassword } from '../forms/password.ts'
import { mark, ofOrganization, type Called, type Said } from '../record/command.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse, type OperationEndpoint } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { forms } from '../resources/forms.ts'
import { shownJson } from '../text/terminal.ts'
import { toInstant } from '../text/instant.ts'
import { jsonBody, instant } from './schema.ts'
import { pageOf, pageParameters, samplePagination, servePlacesPage, readStoredPage } from './list.ts'
import { ofVersion, shownVersion, support } from './form-versions.ts'
import { operated } from './serve.ts'
import { ended } from '../text/schema-errors.ts'
import { changeAsRead, isConditional, stateReply, type Change } from './change.ts'
import type { Operator } from '../access/operator-credentials.ts'
import type { OperatorWorld } from './world.ts'
import {
  findForms,
  FORMS_PATH,
  publishForm,
  unknownForm,
  saveForms,
  storedFormFields,
  type SavedForm,
  type StoredForm,
} from './save-forms.ts'
import { FORMS_MAX, FORMS_MAX_BYTES } from './forms-check.ts'

const ListedForm = v.strictObject({
  formId: described(v.string(), 'Names the form, in the whole service.'),
  name: v.string(),
  isPublished: described(v.boolean(), 'Whether it takes submissions.'),
  requiresPassword: described(v.boolean(), 'Whether a submission needs the password of the form.'),
  ...support,
  publishedAt: described(v.nullable(instant), 'When it was published first; null: it never was.'),
  createdAt: instant,
  updatedAt: instant,
})

type ListedForm = v.InferOutput<typeof ListedForm>

const sample: ListedForm = {
  formId: 'contact',
  name: 'Contact',
  isPublished: true,
  requiresPassword: false,
  supported: true,
  reasons: [],
  publishedAt: '2026-05-04T09:00:00.000Z',
  createdAt: '2026-05-01T08:30:00.000Z',
  updatedAt: '2026-05-04T09:00:00.000Z',
}

const FormInList = v.strictObject({
  ...ListedForm.entries,
  address: described(
    v.nullable(v.string()),
    'Where people fill it in: its own page at this service. Null: it is not published, or must be hosted.',
  ),
})

/** A form with its definition, as it is answered. */
export const ShownForm = component(
  'StoredForm',
  described(
    v.strictObject({
      form: described(
        v.record(v.string(), v.unknown()),
        'The form as an import takes it, without its password.',
      ),
      ...ListedForm.entries,
    }),
    'A form with its definition.',
  ),
)

const common = { method: 'GET', access: 'support', tag: 'Form definitions' } as const

export const listOrganizationForms = operated({
  id: 'organizationForms.list',
  openTo: 'member',
  path: FORMS_PATH,
  ...common,
  needsOrganization: true,
  summary: "List an organization's forms",
  description: 'Newest first.',
  query: pageParameters,
  responses: {
    200: jsonResponse('A page of forms.', pageOf('FormPage', FormInList), {
      data: [{ ...sample, address: 'https://api.example.com/f/contact' }],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
    404: 'NotFound',
  },
  commands: [
    {
      words: ['form', 'list'],
      flags: { org: ofOrganization() },
      summary: "List an organization's forms, newest first",
      details: [
        'The page is the address at which people fill in a form that takes submissions here. JSON has the reasons for which a',
        'form must be hosted.',
      ],
      examples: ['--org lakeside', '--org lakeside --json'],
      columns: [
        { head: 'form', of: ({ formId }) => formId },
        { head: 'state', of: ({ isPublished }) => (isPublished ? 'published' : 'unpublished') },
        { head: 'use', of: ({ supported }) => (supported ? 'can be submitted here' : 'must be hosted') },
        { head: 'changed at', of: ({ updatedAt }) => updatedAt },
        { head: 'page', of: ({ address }) => address },
        { head: 'name', of: ({ name }) => name, mayBeCut: true },
      ],
      shown: { count: 1000, which: 'newest' },
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query, url }, world) => {
    const order = { field: 'createdAt', idField: forms.idField, direction: 'descending' } as const
    const asked = { collection: forms.collection, select: storedFormFields, where: [], order }
    return servePlacesPage(
      query,
      {
        scope: { endpointId: operation.id, organizationId },
        read: (after, limit) =>
          readStoredPage<StoredForm>(world.tenant(organizationId), asked, { after, limit }),
      },
      world,
      (form) => {
        const listed = published(form)
        return { ...listed, address: addressOf(listed, url) }
      },
    )
  },
})

export const showOrganizationForm = operated({
  id: 'organizationForms.show',
  openTo: 'member',
  path: `${FORMS_PATH}/{formId}`,
  ...common,
  versioned: { except: [] },
  needsOrganization: true,
  summary: 'Show a form with its definition',
  responses: {
    200: jsonResponse('The form.', ShownForm, {
      form: { formId: 'contact', name: 'Contact', isPublished: true, notificationEmails: [], fields: [] },
      ...sample,
    }),
    404: 'NotFound',
  },
  commands: [
    {
      words: ['form', 'show'],
      positionals: ['FORMID'],
      flags: { org: ofOrganization(), version: ofVersion() },
      instead: { version: shownVersion },
      summary: 'Print a form as JSON, as an import of forms takes it',
      details: [
        'The password is not stored, so it is not printed. Why a form must be hosted is said beside it. --version prints what',
        'it was after an earlier save, without whether it is published: "form versions" lists them.',
      ],
      examples: ['contact --org lakeside > contact.json', 'contact --version 2 --org lakeside'],
      says: ({ form, reasons, ...shownForm }, { url }) => ({
        out: [shownJson(form, 2)],
        notes: [...reasons.map((reason) => `It must be hosted: ${reason}`), ...addressNotes(shownForm, url)],
      }),
    },
    {
      words: ['form', 'html'],
      positionals: ['FORMID'],
      flags: { org: ofOrganization(), client: mark(), snippet: mark() },
      summary: 'Print a page with the form, which works without scripts',
      details: [
        'The page is complete: labels, hints, what a browser can check, and a place for each error. --snippet prints the form',
        'alone, for a page that exists. --client adds the tag of the form client, which shows and hides conditional fields and',
        'keeps the visitor on the page. A form that must be hosted has no page: the exit code is 1, with the reasons.',
      ],
      examples: ['contact --org lakeside --client > contact.html', 'contact --org lakeside --snippet'],
      says: pageOfForm,
    },
  ],
  answer: async ({ operation, params: { organizationId = '', formId = '' } }, { tenant }) => {
    const form = (await findForms([formId], tenant(organizationId))).get(formId)
    if (form === undefined) return unknownForm(formId, organizationId)
    const body = shown(form)
    return stateReply(operation, 200, body, body)
  },
})

/** What "form html" says of a form. */
async function pageOfForm(
  shownForm: v.InferOutput<typeof ShownForm>,
  { values, params, url }: Called,
): Promise<Said> {
  const formId = params.formId ?? ''
  const { form, isPublished, requiresPassword } = shownForm
  // The service shows what it has stored: a definition.
  const compilation = compileForm(form as unknown as FormDefinition)
  if (compilation.kind === 'unsupported')
    return { failure: `${formId} must be hosted. ${compilation.reasons.join(' ')}` }
  const write = values.snippet === true ? formSnippet : formPage
  const page = write(clientFormOf(compilation.form, requiresPassword), {
    service: new URL(url).origin,
    hasClient: values.client === true,
    say: await sayerOf(compilation.form.definition),
  })
  const notes = isPublished ? [] : [`${formId} is not published, so it takes no submissions yet.`]
  return { out: [page.trimEnd()], notes }
}

export const Saved = v.strictObject({
  formId: v.string(),
  outcome: described(v.picklist(['created', 'changed', 'unchanged']), 'What became of it.'),
  isPublished: ListedForm.entries.isPublished,
  ...support,
})

const SavedForms = component(
  'SavedForms',
  described(
    v.strictObject({ data: described(v.array(Saved), 'One for each form, in their order.') }),
    'What became of forms.',
  ),
)

export const RefusedForms = component(
  'RefusedForms',
  described(
    v.strictObject({
      error: v.string(),
      problems: described(
        v.array(
          v.strictObject({
            form: described(v.pipe(v.number(), v.integer()), 'Which of the forms, beginning with 1.'),
            field: described(v.string(), 'The key of the form, or of one of its fields.'),
            message: described(v.string(), 'The rest of a sentence that begins with the key.'),
          }),
        ),
        'What is wrong, at most fifty of them.',
      ),
    }),
    'Why none of the forms was saved.',
  ),
)

const exampleForm = {
  formId: 'contact',
  name: 'Contact',
  isPublished: true,
  notificationEmails: [],
  fields: [],
}

export const savedSample: v.InferOutput<typeof Saved> = {
  formId: 'contact',
  outcome: 'created',
  isPublished: true,
  supported: true,
  reasons: [],
}

/** What takes forms offline. */
export const unpublishing = v.exactOptional(
  described(
    v.boolean('must be true or false'),
    'Whether they are saved unpublished, which takes those offline that are published.',
  ),
)

export const saveOrganizationForms = operated({
  id: 'organizationForms.save',
  method: 'POST',
  path: FORMS_PATH,
  access: 'admin',
  openTo: 'member',
  action: 'form.save',
  versioned: { of: showOrganizationForm, mayCreate: true, mayBeSeveral: true },
  tag: 'Form definitions',
  needsOrganization: true,
  summary: 'Create or update forms',
  description:
    'All of them, or none. A setting that is left out is cleared, but `isPublished` and a password stay as they are stored when it is saved; null removes a password. A form that cannot be submitted here is saved unpublished, with the reasons, unless nothing of it changes. A published form is never taken offline by it: what would do so is refused, unless `unpublish` is true. An unknown key of a form or field is refused, and so is a type or an operator that does not exist; `$schema` is allowed and not kept.',
  body: jsonBody(
    v.strictObject({
      forms: described(
        v.pipe(
          v.array(v.record(v.string(), v.unknown(), 'must be an object'), 'must be an array'),
          v.minLength(1, 'must not be empty'),
          v.maxLength(FORMS_MAX, `must be at most ${FORMS_MAX} forms`),
        ),
        'Forms as an import takes them. `isPublished` and `notificationEmails` may be left out.',
      ),
      unpublish: unpublishing,
    }),
    { forms: [exampleForm] },
    FORMS_MAX_BYTES,
  ),
  responses: {
    200: jsonResponse('They are saved.', SavedForms, { data: [savedSample] }),
    400: 'BadRequest',
    403: 'Forbidden',
    404: 'NotFound',
    422: jsonResponse('Nothing is saved.', RefusedForms, {
      error: 'Nothing was saved. Form 1: fields[0].requried is not a known key. Did you mean required?',
      problems: [
        { form: 1, field: 'fields[0].requried', message: 'is not a known key. Did you mean required?' },
      ],
    }),
  },
  answer: async (
    { operation, params: { organizationId = '' }, body, change, precondition },
    world,
    operator,
  ) => {
    const ids = body.forms.flatMap(({ formId }) => (v.is(FormId, formId) ? [formId] : []))
    const isOne = body.forms.length === 1
    if (isConditional(precondition) && !isOne)
      return errorReply(400, 'If-Match and If-None-Match: need a single form, because each has its own ETag.')
    await change.announce({ type: 'forms', ids })
    const ports = savingOf(organizationId, operator, world)
    const saved = await changeAsRead(operation, precondition, {
      read: () => findForms(ids, ports.tenant),
      shown: (found) => [...found.values()].map(shown)[0] ?? null,
      write: (found) => saveForms(body.forms, found, ports, { unpublish: body.unpublish }),
    })
    if ('refusal' in saved) return saved.refusal
    const saving = saved.outcome
    if (saving.kind === 'saved') {
      change.concerns({ type: 'forms', ids, changed: namedChanges(saving.saved) })
      const [only] = saving.saved
      const state = isOne && only !== undefined ? shown(only.form) : null
      return stateReply(operation, 200, { data: saving.saved.map(publishedSave) }, state)
    }
    return refusedForms(saving)
  },
})

/** The answer about forms of which none was saved. */
export function refusedForms(
  saving: Extract<Exclude<Awaited<ReturnType<typeof saveForms>>, string>, { readonly kind: 'refused' }>,
) {
  const problems = saving.problems
    .slice(0, PROBLEMS_MAX)
    .map(({ field, ...problem }) => ({ ...problem, field: echoed(field) }))
  const sentences = problems.map(({ form, field, message }) => `Form ${form}: ${field} ${ended(message)}`)
  const forced = saving.isForced === true ? [FORCED] : []
  const error = ['Nothing was saved.', ...sentences, ...forced].join(' ')
  if (saving.isReserved === true) return errorReply(403, error)
  return jsonReply(422, { error, problems }, PRIVATE)
}

/** The answer about one form that was saved. */
export async function savedOne(
  operation: OperationEndpoint,
  saved: readonly SavedForm[],
  change: Pick<Change, 'concerns'>,
) {
  const [only] = saved
  if (only === undefined) throw new Error('A form was saved, and is missing')
  change.concerns({ type: 'forms', ids: [only.form.formId], changed: namedChanges(saved) })
  return stateReply(operation, 200, publishedSave(only), shown(only.form))
}

const FORCED = 'To take it offline and save it so, give unpublish (--unpublish).'

/** What a person is told of a form that was saved, in lines. */
export function toldOfForm(saved: v.InferOutput<typeof Saved>): readonly string[] {
  const { formId, outcome, isPublished, supported, reasons } = saved
  const state = isPublished ? 'published' : 'unpublished'
  return [
    `${formId}: ${outcome}, ${state}${supported ? '' : ', must be hosted'}`,
    ...reasons.map((reason) => `  ${reason}`),
  ]
}

type Addressed = Pick<ListedForm, 'formId' | 'isPublished' | 'supported'>

/** Where people can fill in a form that takes submissions here: its own page. Null: it takes none. */
function addressOf({ formId, isPublished, supported }: Addressed, url: string | URL): string | null {
  return isPublished && supported ? new URL(formPath(formId), url).href : null
}

/** What a command says of a form's own page. */
export function addressNotes(form: Addressed, url: string): readonly string[] {
  const address = addressOf(form, url)
  return address === null ? [] : [`Its page: ${address}`]
}

const publishing = {
  positionals: ['FORMID'],
  flags: { org: ofOrganization() },
  examples: ['contact --org lakeside'],
  says: (saved: v.InferOutput<typeof Saved>, { url }: Called): Said => ({
    out: toldOfForm(saved),
    notes: addressNotes(saved, url),
  }),
}

export const publishOrganizationForm = operated({
  id: 'organizationForms.publish',
  method: 'PUT',
  path: `${FORMS_PATH}/{formId}/published`,
  access: 'admin',
  openTo: 'owner',
  action: 'form.publish',
  versioned: { of: showOrganizationForm },
  tag: 'Form definitions',
  needsOrganization: true,
  summary: 'Publish a form, or take it back',
  description:
    'A published form takes submissions. A form that cannot be submitted here is not published. Nothing else of it changes.',
  body: jsonBody(
    v.strictObject({
      isPublished: described(v.boolean('must be true or false'), 'Whether it takes submissions.'),
    }),
    { isPublished: true },
  ),
  responses: {
    200: jsonResponse('It is as asked.', Saved, { ...savedSample, outcome: 'changed' }),
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
  commands: [
    {
      words: ['form', 'publish'],
      ...publishing,
      body: { isPublished: true },
      summary: 'Publish a form, so that it takes submissions',
      details: [
        'A form that cannot be submitted here is not published: the exit code is 1, and the reasons are printed.',
      ],
    },
    {
      words: ['form', 'unpublish'],
      ...publishing,
      body: { isPublished: false },
      summary: 'Take a form back, so that it takes no more submissions',
      details: ['What was submitted stays.'],
    },
  ],
  answer: async (
    { operation, params: { organizationId = '', formId = '' }, body, change, precondition },
    world,
    operator,
  ) => {
    const { isPublished } = body
    if (!v.is(FormId, formId)) return unknownForm(formId, organizationId)
    await change.announce({ type: 'forms', ids: [formId] })
    const ports = savingOf(organizationId, operator, world)
    const saved = await changeAsRead(operation, precondition, {
      read: async () => (await findForms([formId], ports.tenant)).get(formId) ?? null,
      shown: (found) => (found === null ? null : shown(found)),
      write: async (found) => (found === null ? null : publishForm(found, isPublished, ports)),
    })
    if ('refusal' in saved) return saved.refusal
    const { outcome } = saved
    if (outcome === null) return unknownForm(formId, organizationId)
    if (outcome.form.isPublished !== isPublished)
      return errorReply(
        409,
        `${formId} cannot be submitted here, so it is not published. ${outcome.reasons.join(' ')}`,
      )
    return savedOne(operation, [outcome], change)
  },
})

function published({ definition, passwordHash, ...form }: StoredForm): ListedForm {
  const { formId, name, isPublished, publishedAt, createdAt, updatedAt } = form
  const stored = { formId, name, isPublished, publishedAt, createdAt, updatedAt }
  return { ...stored, requiresPassword: passwordHash !== null, ...headlessSupport(definition) }
}

/** A form with its definition: the state that the operations on forms change. */
export function shown(form: StoredForm): v.InferOutput<typeof ShownForm> {
  return { form: lineOf(form), ...published(form) }
}

/** The form as a line of an import. */
function lineOf({ definition, ...form }: StoredForm): Record<string, unknown> {
  const { formId, name, isPublished, createdAt, publishedAt } = form
  const published = publishedAt === null ? {} : { publishedAt }
  return { ...definition, formId, name, isPublished, createdAt, ...published }
}

/** The maximum number of fields that a record of the audit names, of all forms together. */
const FIELDS_NAMED_MAX = 100

/** What changed in forms, as the audit names it. */
function namedChanges(saved: readonly SavedForm[]): readonly FormChange[] {
  let left = FIELDS_NAMED_MAX
  return saved.flatMap(({ change }) => {
    if (change === null) return []
    const fieldIds = change.fieldIds.slice(0, left).map(echoed)
    left -= fieldIds.length
    return [{ ...change, fieldIds }]
  })
}

/** What can be the id of a form. Anything else may be a mistyped secret, which is not recorded. */
export const FormId = v.pipe(v.string(), v.regex(FORM_ID))

function publishedSave({ form, outcome, supported, reasons }: SavedForm): v.InferOutput<typeof Saved> {
  return { formId: form.formId, outcome, isPublished: form.isPublished, supported, reasons: [...reasons] }
}

/** The ports by which an operator saves forms of an organization. */
export function savingOf(
  organizationId: string,
  { name, role }: Operator,
  { tenant, secrets, random, clock }: OperatorWorld,
) {
  return {
    tenant: tenant(organizationId),
    passwords: {
      hash: (password: string) => hashFormPassword(password, secrets, random),
      verify: async (password: string, stored: string) =>
        (await verifyFormPassword(password, stored, secrets)).ok,
    },
    now: toInstant(clock.nowMs()),
    savedBy: name,
    isOwner: role !== 'member',
  }
}

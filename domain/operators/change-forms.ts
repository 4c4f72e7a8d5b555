import { mark, ofOrganization, sets, type Called, type Said } from '../record/command.ts'
import { jsonResponse, type OperationEndpoint } from '../record/operation.ts'
import { changeAsRead, isConditional, nothingSaved, stateReply, type Change } from './change.ts'
import { contentOf, ofVersion, unknownVersion, showOrganizationForm, addressNotes } from './forms.ts'
import {
  shown,
  findForms,
  FORMS_PATH,
  saveForms,
  unknownForm,
  publishForm,
  type SavedForm,
  support,
  ListedForm,
} from './save-forms.ts'
import { jsonBody, operated } from './serve.ts'
import * as v from 'valibot'
import type { FormChange } from '../../ports/operators.ts'
import { echoed } from '../limits/limits.ts'
import { FORM_ID } from '../forms/language/definition.ts'
import { hashFormPassword, verifyFormPassword } from '../forms/password.ts'
import { component, described } from '../record/meaning.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import type { Operator } from '../access/operator-credentials.ts'
import type { OperatorWorld } from './world.ts'
import { FORMS_MAX, FORMS_MAX_BYTES } from './forms-check.ts'

const Saved = v.strictObject({
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

const RefusedForms = component(
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

const savedSample: v.InferOutput<typeof Saved> = {
  formId: 'contact',
  outcome: 'created',
  isPublished: true,
  supported: true,
  reasons: [],
}

/** What takes forms offline. */
const unpublishing = v.exactOptional(
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
    403: 'Forbidden',
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
function refusedForms(
  saving: Extract<Exclude<Awaited<ReturnType<typeof saveForms>>, string>, { readonly kind: 'refused' }>,
) {
  const forced = saving.isForced === true ? [FORCED] : []
  const body = nothingSaved(saving.problems, ({ form }) => `Form ${form}`, forced)
  if (saving.isReserved === true) return errorReply(403, body.error)
  return jsonReply(422, body, PRIVATE)
}

/** The answer about one form that was saved. */
async function savedOne(
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

export const restoreFormVersion = operated({
  id: 'formVersions.restore',
  method: 'POST',
  path: `${FORMS_PATH}/{formId}/versions/{version}/restore`,
  access: 'admin',
  openTo: 'member',
  tag: 'Form definitions',
  needsOrganization: true,
  action: 'form.restore',
  versioned: { of: showOrganizationForm },
  summary: 'Save a version of a form again',
  description:
    'It becomes a new version. The password stays, and whether the form is published, as in a save that leaves both out: what cannot be submitted here is refused for a published form, unless `unpublish` is true.',
  body: jsonBody(v.strictObject({ unpublish: unpublishing }), {}),
  responses: {
    200: jsonResponse('It is saved.', Saved, { ...savedSample, outcome: 'changed' }),
    403: 'Forbidden',
    422: jsonResponse('Nothing is saved.', RefusedForms, {
      error: 'Nothing was saved. Form 1: fields[0].type would take the published form offline.',
      problems: [{ form: 1, field: 'fields[0].type', message: 'would take the published form offline' }],
    }),
  },
  commands: [
    {
      words: ['form', 'restore'],
      positionals: ['FORMID'],
      flags: { org: ofOrganization(), version: ofVersion('required'), unpublish: sets('unpublish', mark()) },
      summary: 'Save a version of a form again, as a new version',
      details: [
        'The password stays, and so does whether the form is published. A version that cannot be submitted here is refused for',
        'a published form, unless --unpublish is given, which takes it offline in any case.',
      ],
      examples: ['contact --version 2 --org lakeside'],
      says: (saved) => ({ out: toldOfForm(saved) }),
    },
  ],
  answer: async ({ operation, params, body, change, precondition }, world, operator) => {
    const { organizationId = '', formId = '', version = '' } = params
    if (!v.is(FormId, formId)) return unknownForm(formId, organizationId)
    await change.announce({ type: 'forms', ids: [formId] })
    const ports = savingOf(organizationId, operator, world)
    const restored = await changeAsRead(operation, precondition, {
      read: () => findForms([formId], ports.tenant),
      shown: (found) => [...found.values()].map(shown)[0] ?? null,
      write: async (found) => {
        const kept = found.size === 0 ? null : await ports.tenant.formVersion(formId, Number(version))
        if (kept === null) return { found, saving: null }
        const options = { unpublish: body.unpublish === true, isStored: true }
        const saving = await saveForms([contentOf(kept.definition, formId)], found, ports, options)
        return saving === 'overtaken' ? saving : { found, saving }
      },
    })
    if ('refusal' in restored) return restored.refusal
    const { found, saving } = restored.outcome
    if (found.size === 0) return unknownForm(formId, organizationId)
    if (saving === null) return unknownVersion(formId, version)
    if (saving.kind === 'refused') return refusedForms(saving)
    return savedOne(operation, saving.saved, change)
  },
})

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
function savingOf(
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

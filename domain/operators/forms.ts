import type { FormDefinition, FormVersion } from '../../ports/records.ts'
import { echoed } from '../limits/limits.ts'
import { clientFormOf } from '../forms/language/client-form.ts'
import { compileForm, headlessSupport } from '../forms/language/compile.ts'
import { sayerOf } from '../forms/language/words.ts'
import { formPage, formSnippet } from '../forms/form-page.ts'
import { formPath } from '../forms/page-path.ts'
import { mark, ofOrganization, type Called, type Said, sets, text, type Flag } from '../record/command.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { forms } from '../resources/forms.ts'
import { shownJson } from '../text/terminal.ts'
import { instant, operated, count } from './serve.ts'
import { pageOf, pageParameters, pageResponse, servePlacesPage, readStoredPage, servePage } from './list.ts'
import { stateReply } from './change.ts'
import {
  findForms,
  FORMS_PATH,
  unknownForm,
  storedFormFields,
  type StoredForm,
  support,
  ListedForm,
  ShownForm,
  published,
  shown,
} from './save-forms.ts'
import * as v from 'valibot'

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

const common = {
  method: 'GET',
  access: 'support',
  openTo: 'member',
  tag: 'Form definitions',
  needsOrganization: true,
} as const

export const listOrganizationForms = operated({
  id: 'organizationForms.list',
  path: FORMS_PATH,
  ...common,
  summary: "List an organization's forms",
  description: 'Newest first.',
  query: pageParameters,
  responses: {
    200: pageResponse('A page of forms.', pageOf('FormPage', FormInList), {
      ...sample,
      address: 'https://api.example.com/f/contact',
    }),
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
    return servePlacesPage(query, world, {
      scope: { endpointId: operation.id, organizationId },
      read: (after, limit) =>
        readStoredPage<StoredForm>(world.tenant(organizationId), asked, { after, limit }),
      publish: (form) => {
        const listed = published(form)
        return { ...listed, address: addressOf(listed, url) }
      },
    })
  },
})

const ListedVersion = v.strictObject({
  version: described(count, 'Its number, from 1. A later version has a greater one.'),
  savedAt: described(instant, 'When it was saved.'),
  savedBy: described(
    v.nullable(v.string()),
    'The name of who saved it; null: an import, or it was stored before versions were kept.',
  ),
  name: described(v.string(), 'The name of the form in it.'),
})

type ListedVersion = v.InferOutput<typeof ListedVersion>

const sampleVersion: ListedVersion = {
  version: 3,
  savedAt: '2026-05-04T09:00:00.000Z',
  savedBy: 'Grace Hopper',
  name: 'Contact',
}

function listedVersion({ number, savedAt, savedBy, name }: FormVersion): ListedVersion {
  return { version: number, savedAt, savedBy, name }
}

const ShownVersion = component(
  'FormVersion',
  described(
    v.strictObject({
      form: described(
        v.record(v.string(), v.unknown()),
        'The form as it is saved, without its password, and without whether it is published.',
      ),
      ...ListedVersion.entries,
      ...support,
    }),
    'What a form was after a save.',
  ),
)

/** The flag that names a version. */
export function ofVersion(presence: Flag['presence'] = 'optional'): Flag {
  const number = v.regex(/^[1-9]\d{0,8}$/, 'must be a whole number of at least 1')
  return sets('version', text('N', presence), v.pipe(v.string(), number))
}

/** The answer about a version that a form does not have. */
export function unknownVersion(formId: string, version: string) {
  return errorReply(404, `${formId} has no version ${echoed(version)}, or no longer.`)
}

export const showFormVersion = operated({
  id: 'formVersions.show',
  path: `${FORMS_PATH}/{formId}/versions/{version}`,
  ...common,
  summary: 'Show what a form was after a save',
  responses: {
    200: jsonResponse('The version.', ShownVersion, {
      form: { formId: 'contact', name: 'Contact', notificationEmails: [], fields: [] },
      ...sampleVersion,
      supported: true,
      reasons: [],
    }),
  },
  answer: async ({ params: { organizationId = '', formId = '', version = '' } }, { tenant: open }) => {
    const tenant = open(organizationId)
    const form = (await findForms([formId], tenant)).get(formId)
    if (form === undefined) return unknownForm(formId, organizationId)
    const found = await tenant.formVersion(formId, Number(version))
    if (found === null) return unknownVersion(formId, version)
    const { createdAt, publishedAt } = form
    const published = publishedAt === null ? {} : { publishedAt }
    const body = {
      form: { ...contentOf(found.definition, formId), createdAt, ...published },
      ...listedVersion(found),
      ...headlessSupport(found.definition),
    }
    return jsonReply(200, body, PRIVATE)
  },
})

/** A version as it is given to be saved. Whether the form is published is left out, so that it stays as it is. */
export function contentOf(definition: FormDefinition, formId: string): Readonly<Record<string, unknown>> {
  const { isPublished: _asNow, ...content } = definition
  return { ...content, formId }
}

/** What "form show --version" prints. */
const shownVersion = {
  operation: showFormVersion,
  says: ({ form, version, savedAt, savedBy, reasons }: v.InferOutput<typeof ShownVersion>) => ({
    out: [shownJson(form, 2)],
    notes: [
      `Version ${version}, saved at ${savedAt}${savedBy === null ? '' : ` by ${savedBy}`}.`,
      ...reasons.map((reason) => `It must be hosted: ${reason}`),
    ],
  }),
}

export const showOrganizationForm = operated({
  id: 'organizationForms.show',
  path: `${FORMS_PATH}/{formId}`,
  ...common,
  versioned: { except: [] },
  summary: 'Show a form with its definition',
  responses: {
    200: jsonResponse('The form.', ShownForm, {
      form: { formId: 'contact', name: 'Contact', isPublished: true, notificationEmails: [], fields: [] },
      ...sample,
    }),
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

export const listFormVersions = operated({
  id: 'formVersions.list',
  path: `${FORMS_PATH}/{formId}/versions`,
  ...common,
  summary: 'List what a form was after each save',
  description: 'Newest first. Each save and each import that changes something is a version; 50 are kept.',
  query: pageParameters,
  responses: {
    200: pageResponse('A page of versions.', pageOf('FormVersionPage', ListedVersion), sampleVersion),
  },
  commands: [
    {
      words: ['form', 'versions'],
      positionals: ['FORMID'],
      flags: { org: ofOrganization() },
      summary: 'List what a form was after each save, newest first',
      details: [
        'Each save or import that changes something is a version; 50 are kept. "form show FORMID --version N" prints one, and',
        '"form restore FORMID --version N" saves it again.',
      ],
      examples: ['contact --org lakeside'],
      columns: [
        { head: 'version', of: ({ version }) => version },
        { head: 'saved at', of: ({ savedAt }) => savedAt },
        { head: 'saved by', of: ({ savedBy }) => savedBy, mayBeCut: true },
        { head: 'name', of: ({ name }) => name, mayBeCut: true },
      ],
    },
  ],
  answer: async ({ operation, params: { organizationId = '', formId = '' }, query }, world) => {
    const tenant = world.tenant(organizationId)
    if ((await findForms([formId], tenant)).size === 0) return unknownForm(formId, organizationId)
    return servePage<FormVersion, ListedVersion>(query, world, {
      scope: { endpointId: operation.id, organizationId: JSON.stringify([organizationId, formId]) },
      read: async (after, limit) => {
        const versions = await tenant.formVersions(formId)
        const before = after === null ? Number.POSITIVE_INFINITY : Number(after.value)
        return versions.filter(({ number }) => number < before).slice(0, limit)
      },
      positionOf: ({ number }) => ({ value: number, id: formId }),
      publish: listedVersion,
    })
  },
})

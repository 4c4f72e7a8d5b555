import * as v from 'valibot'
import type { FormDefinition, FormVersion } from '../../ports/records.ts'
import { headlessSupport } from '../forms/language/support.ts'
import { echoed } from '../limits/limits.ts'
import { ofOrganization, sets, text, type Flag } from '../record/command.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { shownJson } from '../text/terminal.ts'
import { pageOf, pageParameters, samplePagination, servePage } from './list.ts'
import { findForms, FORMS_PATH, unknownForm } from './save-forms.ts'
import { count, instant } from './schema.ts'
import { operated } from './serve.ts'

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

const sample: ListedVersion = {
  version: 3,
  savedAt: '2026-05-04T09:00:00.000Z',
  savedBy: 'Grace Hopper',
  name: 'Contact',
}

function listed({ number, savedAt, savedBy, name }: FormVersion): ListedVersion {
  return { version: number, savedAt, savedBy, name }
}

const common = { access: 'support', tag: 'Form definitions', needsOrganization: true } as const

export const listFormVersions = operated({
  id: 'formVersions.list',
  openTo: 'member',
  method: 'GET',
  path: `${FORMS_PATH}/{formId}/versions`,
  ...common,
  summary: 'List what a form was after each save',
  description: 'Newest first. Each save and each import that changes something is a version; 50 are kept.',
  query: pageParameters,
  responses: {
    200: jsonResponse('A page of versions.', pageOf('FormVersionPage', ListedVersion), {
      data: [sample],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
    404: 'NotFound',
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
    return servePage<FormVersion, ListedVersion>(
      query,
      {
        scope: { endpointId: operation.id, organizationId: JSON.stringify([organizationId, formId]) },
        read: async (after, limit) => {
          const versions = await tenant.formVersions(formId)
          const before = after === null ? Number.POSITIVE_INFINITY : Number(after.value)
          return versions.filter(({ number }) => number < before).slice(0, limit)
        },
        positionOf: ({ number }) => ({ value: number, id: formId }),
      },
      world,
      listed,
    )
  },
})

/** Whether a form can be submitted here. */
export const support = {
  supported: described(v.boolean(), 'Whether it can be submitted here. If not, it must be hosted.'),
  reasons: described(v.array(v.string()), 'Why it must be hosted.'),
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
  openTo: 'member',
  method: 'GET',
  path: `${FORMS_PATH}/{formId}/versions/{version}`,
  ...common,
  summary: 'Show what a form was after a save',
  responses: {
    200: jsonResponse('The version.', ShownVersion, {
      form: { formId: 'contact', name: 'Contact', notificationEmails: [], fields: [] },
      ...sample,
      supported: true,
      reasons: [],
    }),
    404: 'NotFound',
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
      ...listed(found),
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
export const shownVersion = {
  operation: showFormVersion,
  says: ({ form, version, savedAt, savedBy, reasons }: v.InferOutput<typeof ShownVersion>) => ({
    out: [shownJson(form, 2)],
    notes: [
      `Version ${version}, saved at ${savedAt}${savedBy === null ? '' : ` by ${savedBy}`}.`,
      ...reasons.map((reason) => `It must be hosted: ${reason}`),
    ],
  }),
}

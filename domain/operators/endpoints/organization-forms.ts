import * as v from 'valibot'
import type { FormDefinition } from '../../../ports/records/form-directory.ts'
import { echoed } from '../../bounds/echo.ts'
import { headlessSupport } from '../../forms/definition/support.ts'
import { component, described } from '../../record/meaning.ts'
import type { ReplyOf } from '../../record/operation.ts'
import { jsonResponse, operation } from '../../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../../record/reply.ts'
import { forms } from '../../resources/forms.ts'
import { pageOf, pageParameters, samplePagination, servePlacesPage } from '../interface/list.ts'
import type { OperatorRequestOf } from '../interface/serve.ts'
import { readStoredPage } from '../interface/stored-page.ts'
import type { OperatorWorld } from '../interface/world.ts'
import { instant } from './key-schema.ts'
import { unknownOrganization } from './organizations.ts'

const ListedForm = v.strictObject({
  formId: described(v.string(), 'Names the form, in the whole service.'),
  name: v.string(),
  isPublished: described(v.boolean(), 'Whether it takes submissions.'),
  requiresPassword: described(v.boolean(), 'Whether a submission needs the password of the form.'),
  supported: described(v.boolean(), 'Whether it can be submitted here. If not, it must be hosted.'),
  reasons: described(v.array(v.string()), 'Why it must be hosted.'),
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

const ShownForm = component(
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

const PATH = '/operator/v1/organizations/{organizationId}/forms'
const common = { method: 'GET', access: 'support', tag: 'Form definitions' } as const

export const listOrganizationForms = operation({
  id: 'organizationForms.list',
  path: PATH,
  ...common,
  summary: "List an organization's forms",
  description: 'Newest first.',
  query: pageParameters,
  responses: {
    200: jsonResponse('A page of forms.', pageOf('FormPage', ListedForm), {
      data: [sample],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
    404: 'NotFound',
  },
})

export const showOrganizationForm = operation({
  id: 'organizationForms.show',
  path: `${PATH}/{formId}`,
  ...common,
  summary: 'Show a form with its definition',
  responses: {
    200: jsonResponse('The form.', ShownForm, {
      form: { formId: 'contact', name: 'Contact', isPublished: true, notificationEmails: [], fields: [] },
      ...sample,
    }),
    404: 'NotFound',
  },
})

/** The stored fields of a form that are read. */
interface StoredForm {
  readonly formId: string
  readonly name: string
  readonly isPublished: boolean
  readonly definition: FormDefinition
  readonly passwordHash: string | null
  readonly publishedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

const SELECT: readonly (keyof StoredForm)[] = [
  ...(['formId', 'name', 'isPublished', 'definition', 'passwordHash'] as const),
  ...(['publishedAt', 'createdAt', 'updatedAt'] as const),
]

function published({ definition, passwordHash, ...form }: StoredForm): ListedForm {
  return { ...form, requiresPassword: passwordHash !== null, ...headlessSupport(definition) }
}

/** The form as a line of an import. */
function lineOf({ definition, ...form }: StoredForm): Record<string, unknown> {
  const { formId, name, isPublished, createdAt, publishedAt } = form
  const published = publishedAt === null ? {} : { publishedAt }
  return { ...definition, formId, name, isPublished, createdAt, ...published }
}

/** Answers `GET /operator/v1/organizations/{organizationId}/forms`. */
export async function serveOrganizationForms(
  { params: { organizationId = '' }, query }: OperatorRequestOf<typeof listOrganizationForms>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof listOrganizationForms>> {
  if ((await world.administration.findOrganization(organizationId)) === null)
    return unknownOrganization(organizationId)
  const order = { field: 'createdAt', idField: forms.idField, direction: 'descending' } as const
  const asked = { collection: forms.collection, select: SELECT, where: [], order }
  return servePlacesPage(
    query,
    {
      scope: { endpointId: listOrganizationForms.id, organizationId },
      read: (after, limit) =>
        readStoredPage<StoredForm>(world.tenant(organizationId), asked, { after, limit }),
    },
    world,
    published,
  )
}

/** Answers `GET /operator/v1/organizations/{organizationId}/forms/{formId}`. */
export async function serveOrganizationForm(
  { params: { organizationId = '', formId = '' } }: OperatorRequestOf<typeof showOrganizationForm>,
  { administration, tenant }: OperatorWorld,
): Promise<ReplyOf<typeof showOrganizationForm>> {
  if ((await administration.findOrganization(organizationId)) === null)
    return unknownOrganization(organizationId)
  const [found] = await tenant(organizationId).findMany(forms.collection, SELECT, [formId])
  if (found === undefined) return unknownForm(formId, organizationId)
  const form = found as unknown as StoredForm
  return jsonReply(200, { form: lineOf(form), ...published(form) }, PRIVATE)
}

/** The answer about a form that an organization does not have. */
export function unknownForm(formId: string, organizationId: string) {
  return errorReply(404, `${organizationId} has no form ${echoed(formId)}.`)
}

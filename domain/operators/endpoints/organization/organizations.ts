import * as v from 'valibot'
import type { Organization } from '../../../../ports/organizations/organization.ts'
import { echoed } from '../../../bounds/echo.ts'
import { jurisdictions, placeKinds, regions } from '../../../placement/operators/choices.ts'
import { component, described } from '../../../record/operation/meaning.ts'
import type { ReplyOf } from '../../../record/operation/operation.ts'
import { jsonResponse, operation } from '../../../record/operation/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../../../record/operation/reply.ts'
import { RetentionBody } from './removals.ts'
import { MoveBody, publishedMove } from '../schemas/move-schema.ts'
import { jsonBody } from '../../interface/body.ts'
import { pageParameters, placesPageOf, samplePagination, servePlacesPage } from '../../interface/list.ts'
import type { OperatorRequestOf } from '../../interface/serve.ts'
import type { OperatorWorld } from '../../interface/world.ts'
import { keysOf } from '../../../text/keys-of.ts'
import { newOrganization, OrganizationId, parentProblem, restoringProblem } from '../../organization.ts'
import { publishedSettings } from '../../organization-settings.ts'
import { choiceOf, PlacedSettings, placeProblem } from '../../place-settings.ts'

const Published = v.strictObject({
  organizationId: described(v.string(), 'Identifier of the organization; its keys contain it.'),
  ...publishedSettings,
})
const OrganizationBody = component('Organization', described(Published, 'The settings of an organization.'))

const placeEntries = {
  place: described(
    v.picklist(placeKinds),
    '`own`: its family has a database of its own; `shared`: it is in the one that all others share.',
  ),
  region: described(v.nullable(v.picklist(regions)), 'Where its database was asked to be; null: anywhere.'),
  jurisdiction: described(
    v.nullable(v.picklist(jurisdictions)),
    'Where its database must stay; null: anywhere.',
  ),
  sizeBytes: described(
    v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
    "How much its family's database stores; null in the shared one, and when it did not answer.",
  ),
  retention: v.exactOptional(
    described(RetentionBody, 'For how long it keeps what; left out when nothing has an end.'),
  ),
  archive: v.exactOptional(
    described(v.string(), 'The archive from which it was restored; left out when it was not.'),
  ),
  move: v.exactOptional(described(MoveBody, 'The move of its family; left out when none runs.')),
}

const PlacedBody = component(
  'PlacedOrganization',
  described(
    v.union([
      v.strictObject({ ...Published.entries, ...placeEntries }),
      v.strictObject({
        organizationId: Published.entries.organizationId,
        ...placeEntries,
        unanswered: described(
          v.literal(true),
          "Its family's database did not answer, so its settings are missing here.",
        ),
      }),
    ]),
    'The settings of an organization, and where it lives.',
  ),
)

const sample: Organization = {
  ...newOrganization('acme', 'Acme Car Wash'),
  slug: 'acme',
  smsNumber: '+12125550100',
}

const PATH = '/operator/v1/organizations/{organizationId}'

export const listOrganizations = operation({
  id: 'organizations.list',
  method: 'GET',
  path: '/operator/v1/organizations',
  access: 'support',
  tag: 'Organizations',
  summary: 'List organizations',
  description: 'All organizations, by their identifier.',
  query: pageParameters,
  responses: {
    200: jsonResponse('A page of organizations.', placesPageOf('OrganizationPage', Published), {
      data: [sample],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
  },
})

export const showOrganization = operation({
  id: 'organizations.show',
  method: 'GET',
  path: PATH,
  access: 'support',
  tag: 'Organizations',
  summary: 'Show an organization',
  responses: {
    200: jsonResponse('Its settings, and where it lives.', PlacedBody, {
      ...sample,
      place: 'own',
      region: null,
      jurisdiction: 'eu',
      sizeBytes: 8_450_048,
    }),
    404: 'NotFound',
  },
})

export const saveOrganization = operation({
  id: 'organizations.save',
  method: 'POST',
  path: PATH,
  access: 'admin',
  action: 'organization.save',
  tag: 'Organizations',
  summary: 'Create or update an organization',
  description: `Settings that are left out stay as they are. A new organization needs a name; its capabilities are ${String(sample.analytics)}, its billing events ${String(sample.billingEvents)}, its phone country ${sample.phoneCountry}, its messages of automations ${sample.automationHourly} an hour.`,
  body: jsonBody(PlacedSettings, { name: 'Acme Car Wash', slug: 'acme', smsNumber: '+12125550100' }),
  responses: {
    200: jsonResponse('It was there, and is updated.', OrganizationBody, sample),
    201: jsonResponse('It is new.', OrganizationBody, sample),
    400: 'BadRequest',
    409: 'Conflict',
  },
})

/** Answers `GET /operator/v1/organizations`. */
export async function serveOrganizations(
  { query }: OperatorRequestOf<typeof listOrganizations>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof listOrganizations>> {
  return servePlacesPage(
    query,
    {
      scope: { endpointId: listOrganizations.id, organizationId: null },
      read: async (after, limit) => {
        const { next, ...page } = await world.overview.organizations(after?.id ?? null, limit)
        return { ...page, next: next === null ? null : { value: null, id: next } }
      },
    },
    world,
    (organization) => organization,
  )
}

/** Answers `GET /operator/v1/organizations/{organizationId}`. */
export async function serveOrganization(
  { params: { organizationId = '' } }: OperatorRequestOf<typeof showOrganization>,
  { overview, moves, whole }: OperatorWorld,
): Promise<ReplyOf<typeof showOrganization>> {
  const found = await overview.describe(organizationId)
  if (found === null) return unknownOrganization(organizationId)
  const running = await moves.running(organizationId)
  const place = { ...found.place, ...(running === null ? {} : { move: publishedMove(running) }) }
  const { organization } = found
  return organization === null
    ? jsonReply(200, { organizationId, ...place, unanswered: true as const }, PRIVATE)
    : jsonReply(200, { ...organization, ...place, ...(await wholeOf(organizationId, whole)) }, PRIVATE)
}

/** The archive from which an organization was restored, and what it keeps for a limited time. */
async function wholeOf(organizationId: string, whole: OperatorWorld['whole']) {
  const store = whole(organizationId)
  const [restoration, retention] = [await store.restoration(), await store.retention()]
  const isLimited = Object.values(retention).some((days) => days !== null)
  return {
    ...(restoration === null ? {} : { archive: restoration.archive }),
    ...(isLimited ? { retention } : {}),
  }
}

/** Answers `POST /operator/v1/organizations/{organizationId}`. */
export async function serveSaveOrganization(
  { params: { organizationId = '' }, body, change }: OperatorRequestOf<typeof saveOrganization>,
  { administration }: OperatorWorld,
): Promise<ReplyOf<typeof saveOrganization>> {
  const id = v.safeParse(OrganizationId, organizationId)
  if (!id.success) return errorReply(400, `organizationId: ${id.issues[0].message}.`)
  const { choice, settings } = choiceOf(body)
  if (typeof choice === 'string') return errorReply(400, choice)
  const existing = await administration.findOrganization(organizationId)
  if (existing === null && settings.name === undefined)
    return errorReply(400, 'name: is required, because the organization is new.')
  const base = existing ?? newOrganization(organizationId, settings.name ?? '')
  const organization: Organization = { ...base, ...settings }
  const changed = keysOf(settings).filter(
    (name) => isChanged(base[name], organization[name]) || existing === null,
  )
  const subject = { type: 'settings', changed: choice === null ? changed : [...changed, 'place'] } as const
  const outcome = await change
    .about(organizationId, subject)
    .saveOrganization(organization, existing, choice ?? undefined)
  if (outcome === 'slug_taken')
    return errorReply(409, `Another organization has the slug ${organization.slug ?? ''}.`)
  if (outcome === 'parent_missing')
    return errorReply(409, parentProblem(organizationId, organization.parentId ?? ''))
  if (outcome === 'parent_below')
    return errorReply(
      409,
      `${organization.parentId ?? ''} is below ${organizationId}, so it cannot be the parent.`,
    )
  if (outcome === 'elsewhere' || outcome === 'no_places' || outcome === 'no_jurisdiction')
    return errorReply(409, placeProblem(outcome, organization, existing))
  if (outcome === 'moving')
    return errorReply(
      409,
      `${organizationId} cannot join or leave a family that is being moved. Try again when "org show" names no move.`,
    )
  if (outcome === 'restoring') return errorReply(409, restoringProblem(organizationId))
  if (outcome === 'changed')
    return errorReply(409, `${organizationId} was changed by somebody else meanwhile. Try again.`)
  return jsonReply(existing === null ? 201 : 200, organization, PRIVATE)
}

/** Whether a setting gets another value. The point of sale is an object. */
function isChanged(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}

/** The reply about an organization that does not exist. */
export function unknownOrganization(organizationId: string) {
  return errorReply(404, `There is no organization ${echoed(organizationId)}.`)
}

import * as v from 'valibot'
import type { Organization, RetentionSettings, StoredSettings } from '../../ports/organizations.ts'
import {
  jurisdictions,
  placeKinds,
  regions,
  IN_SHARED,
  type PlaceDescription,
} from '../placement/operators/overview.ts'
import { sets, text } from '../record/command.ts'
import { component, described, worded, type Words } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply } from '../record/reply.ts'
import {
  MoveBody,
  publishedMove,
  choiceOf,
  lawFlags,
  PlacedSettings,
  placeFlag,
  placeProblem,
} from './places.ts'
import { jsonBody, notThere, operated } from './serve.ts'
import { pageParameters, placesPageOf, pageResponse, servePlacesPage } from './list.ts'
import { changeAsRead, stateReply } from './change.ts'
import type { OperatorWorld } from './world.ts'
import { compareBytes } from '../text/typed-text.ts'
import { keysOf } from '../text/encoding.ts'
import { NO_GAPS } from '../placement/find/visit-families.ts'
import {
  newOrganization,
  NONE,
  OrganizationId,
  parentProblem,
  restoringProblem,
  organizationFlags,
  publishedSettings,
  settingFlags,
} from '../organizations/settings.ts'
import { posKinds } from '../pos/index.ts'

const Published = v.strictObject({
  organizationId: described(v.string(), 'Identifier of the organization; its keys contain it.'),
  ...publishedSettings,
})

const OrganizationBody = component('Organization', described(Published, 'The settings of an organization.'))

const days = (what: string, words: Words) =>
  worded(
    described(
      v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(36_500))),
      `For how many days ${what} are kept; null: for ever.`,
    ),
    words,
  )

/** The published form of `RetentionSettings`. */
export const RetentionBody = component(
  'Retention',
  described(
    v.strictObject({
      submissions: days('submissions of forms', {
        hint: 'Days. What is older is removed with its runs and with messages that still wait. Contacts stay.',
      }),
      sends: days('entries of the log of sends', {
        label: 'Log of sends',
        hint: 'Days. Older entries say no longer what was sent to whom.',
      }),
    }),
    'What is removed by itself, once a day.',
  ),
)

/** Said of the backups in the bucket of the service. */
const ENCRYPTED = 'encrypted'

const NOT_ENCRYPTED = 'not encrypted: set BACKUP_RECIPIENT, or whoever reads the bucket reads them'

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
  backups: v.exactOptional(
    described(
      v.picklist([ENCRYPTED, NOT_ENCRYPTED]),
      'Whether whoever reads the bucket of the service can read the backups of this organization; left out when the service has no bucket.',
    ),
  ),
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

export const listOrganizations = operated({
  id: 'organizations.list',
  method: 'GET',
  path: '/operator/v1/organizations',
  access: 'support',
  openTo: 'member',
  tag: 'Organizations',
  summary: 'List organizations',
  description: 'All organizations, by their identifier; for a person who signs in, those of theirs.',
  query: pageParameters,
  responses: {
    200: pageResponse('A page of organizations.', placesPageOf('OrganizationPage', Published), sample),
  },
  commands: [
    {
      words: ['org', 'list'],
      summary: 'List the organizations by their id, each with its name',
      details: ['"org show ID" prints the settings of one.'],
      examples: ['', '--json'],
      columns: [
        { head: 'organization', of: ({ organizationId }) => organizationId },
        { head: 'name', of: ({ name }) => name, mayBeCut: true },
      ],
    },
  ],
  answer: async ({ operation, query }, world, { organizations }) => {
    return servePlacesPage(query, world, {
      scope: { endpointId: operation.id, organizationId: null },
      read: async (after, limit) => {
        const from = after?.id ?? null
        const { next, ...page } = await (organizations === null
          ? world.overview.organizations(from, limit)
          : theirOrganizations(organizations, from, limit, world))
        return { ...page, next: next === null ? null : { value: null, id: next } }
      },
      publish: (organization) => organization,
    })
  },
})

/** How many organizations of a person one page shows at most, because each is found in its own place. */
const THEIRS_MAX = 50

/** The organizations of a person, by their identifier, starting after one. */
async function theirOrganizations(
  ids: readonly string[],
  afterId: string | null,
  limit: number,
  { administration }: OperatorWorld,
) {
  const left = [...ids].sort(compareBytes).filter((id) => afterId === null || compareBytes(id, afterId) > 0)
  const shown = left.slice(0, Math.min(limit, THEIRS_MAX))
  const found = await Promise.all(shown.map((id) => administration.findOrganization(id)))
  const next = left.length > shown.length ? (shown.at(-1) ?? null) : null
  return { rows: found.filter((organization) => organization !== null), next, ...NO_GAPS }
}

export const showOrganization = operated({
  id: 'organizations.show',
  method: 'GET',
  path: PATH,
  access: 'support',
  openTo: 'member',
  versioned: { except: ['sizeBytes', 'move'] },
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
  commands: [
    {
      words: ['org', 'show'],
      positionals: ['ID'],
      summary: "Print an organization's settings, and where it lives, as JSON",
      examples: ['lakeside'],
      says: (body) => ({
        out: [JSON.stringify(body, null, 2)],
        failure:
          'unanswered' in body
            ? 'The database of its family does not answer: only its place is known.'
            : null,
      }),
    },
  ],
  answer: async ({ operation, params: { organizationId = '' } }, world) => {
    const found = await findState(organizationId, world)
    if (found === null) return notThere(organizationId)
    const body = shownState(found)
    return stateReply(operation, 200, body, body)
  },
})

/** What a person is told of an organization that was saved: each setting that changed, as its flag names it. */
function toldOf(before: v.InferOutput<typeof PlacedBody> | null, after: Organization): readonly string[] {
  const { organizationId } = after
  if (before === null || 'unanswered' in before) return [`Created ${organizationId}.`]
  const changed = keysOf(organizationFlags).flatMap((setting) => {
    const [old, now] = [writtenSetting(before[setting]), writtenSetting(after[setting])]
    return old === now ? [] : [`  ${organizationFlags[setting].name}: ${old} → ${now}`]
  })
  if (changed.length === 0) return [`Nothing has changed: ${organizationId} is as it was.`]
  return [`Updated ${organizationId}.`, ...changed]
}

/** A setting, as its flag takes it. */
function writtenSetting(value: Organization[keyof typeof organizationFlags]): string {
  if (value === null) return NONE
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? `${value.kind}:${value.tenant}` : String(value)
}

export const saveOrganization = operated({
  id: 'organizations.save',
  method: 'POST',
  path: PATH,
  access: 'admin',
  action: 'organization.save',
  versioned: { of: showOrganization, mayCreate: true },
  tag: 'Organizations',
  summary: 'Create or update an organization',
  description: `Settings that are left out stay as they are stored when it is saved. A new organization needs a name; its capabilities are ${String(sample.analytics)}, its billing events ${String(sample.billingEvents)}, its phone country ${sample.phoneCountry}, its messages of automations ${sample.automationHourly} an hour.`,
  body: jsonBody(PlacedSettings, { name: 'Acme Car Wash', slug: 'acme', smsNumber: '+12125550100' }),
  responses: {
    200: jsonResponse('It was there, and is updated.', OrganizationBody, sample),
    201: jsonResponse('It is new.', OrganizationBody, sample),
    409: 'Conflict',
  },
  commands: [
    {
      words: ['org', 'create'],
      flags: {
        id: sets('organizationId', text('ID', 'required'), OrganizationId),
        ...settingFlags,
        place: placeFlag,
        ...lawFlags,
      },
      summary: 'Create or update an organization',
      details: [
        'Flags that are not given keep what is there; what an update changes is printed. A new organization needs a name; its capabilities are no, its',
        'billing events yes, its phone country US. An empty --slug or --sms-number clears the setting. --parent none, or',
        'an empty one, unties the organization from its parent; in a database of its own, move the family to shared first.',
        '--automation-hourly bounds the messages that its automations send within any hour (default 500); what is over waits.',
        `KIND is ${posKinds.slice(0, -1).join(', ')} or ${posKinds.at(-1) ?? ''}; TENANT is the vendor's tenant id, the value of the shared`,
        "source's tenant column, or the name of a data source of the gateway. none unties the organization.",
        'A new organization without a parent lives, with all below it, in the database that families share, or with --place',
        'own in one of its own. --region asks for it near there; --jurisdiction binds it to a law.',
        `REGION is one of ${regions.join(', ')}; LAW is ${jurisdictions.join(', ')}. A child goes where its parent is.`,
      ],
      examples: ['--id lakeside --name "Lakeside Wash" --slug lakeside', '--id lakeside --analytics yes'],
      before: showOrganization,
      // What is there before is what that operation shows.
      says: (after, { before }) => ({
        notes: toldOf(before as v.InferOutput<typeof PlacedBody> | null, after),
      }),
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, body, change, precondition }, world) => {
    const id = v.safeParse(OrganizationId, organizationId)
    if (!id.success) return errorReply(400, `organizationId: ${id.issues[0].message}.`)
    const { choice, settings } = choiceOf(body)
    if (typeof choice === 'string') return errorReply(400, choice)
    const subjectOf = (changed: readonly string[]) =>
      ({ type: 'settings', changed: choice === null ? changed : [...changed, 'place'] }) as const
    change.concerns(subjectOf(keysOf(settings)))
    const saving = await changeAsRead(operation, precondition, {
      read: () => findState(organizationId, world),
      shown: (found) => (found === null ? null : shownState(found)),
      write: async (found, isConditional) => {
        const stored = found?.settings ?? null
        // A database that did not answer is asked again, so that whoever saves learns why it cannot.
        const existing =
          found === null
            ? null
            : (stored?.organization ?? (await world.administration.findOrganization(organizationId)))
        if (existing === null && settings.name === undefined) return 'nameless'
        const base = existing ?? newOrganization(organizationId, settings.name ?? '')
        const organization: Organization = { ...base, ...settings }
        const changed = keysOf(settings).filter(
          (name) => isChanged(base[name], organization[name]) || existing === null,
        )
        const seen = isConditional ? stored?.retention : undefined
        const outcome = await change
          .about(organizationId, subjectOf(changed))
          .saveOrganization(organization, existing, choice ?? undefined, seen)
        return outcome === 'changed' ? 'overtaken' : { outcome, organization, existing, found }
      },
    })
    if ('refusal' in saving) return saving.refusal
    if (saving.outcome === 'nameless')
      return errorReply(400, 'name: is required, because the organization is new.')
    const { outcome, organization, existing, found } = saving.outcome
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
    const place = found?.place ?? (await world.overview.describe(organizationId))?.place ?? IN_SHARED
    const { archive = null, retention = NOTHING_ENDS } = found?.settings ?? {}
    const state = shownState({ organizationId, place, settings: { organization, retention, archive } })
    return stateReply(operation, existing === null ? 201 : 200, organization, state)
  },
})

/** What is known of an organization: its settings, and where it lives. */
interface OrganizationState {
  readonly organizationId: string
  readonly place: PlaceDescription & {
    readonly move?: v.InferOutput<typeof MoveBody>
    readonly backups?: typeof ENCRYPTED | typeof NOT_ENCRYPTED
  }
  /** Null: its family's database did not answer. */
  readonly settings: (StoredSettings & { readonly archive: string | null }) | null
}

/** Reads what is stored of an organization; null: there is none. */
export async function findState(
  organizationId: string,
  {
    overview,
    moves,
    organizationStore,
    backups,
  }: Pick<OperatorWorld, 'overview' | 'moves' | 'organizationStore' | 'backups'>,
): Promise<OrganizationState | null> {
  const found = await overview.describe(organizationId)
  if (found === null) return null
  const running = await moves.running(organizationId)
  const place = {
    ...found.place,
    ...(running === null ? {} : { move: publishedMove(running) }),
    ...(await bucketOf(backups)),
  }
  const { organization } = found
  if (organization === null) return { organizationId, place, settings: null }
  const store = organizationStore(organizationId)
  const [restoration, retention] = [await store.restoration(), await store.retention()]
  return {
    organizationId,
    place,
    settings: { organization, retention, archive: restoration?.archive ?? null },
  }
}

async function bucketOf(backups: OperatorWorld['backups']) {
  const bucket = await backups()
  if (bucket === null) return {}
  return { backups: bucket.seal === null ? NOT_ENCRYPTED : ENCRYPTED } as const
}

/** The state of an organization as it is shown, which its settings and its retention change. */
export function shownState({
  organizationId,
  place,
  settings,
}: OrganizationState): v.InferOutput<typeof PlacedBody> {
  if (settings === null) return { organizationId, ...place, unanswered: true }
  const { organization, retention, archive } = settings
  const isLimited = Object.values(retention).some((days) => days !== null)
  return {
    ...organization,
    ...place,
    ...(archive === null ? {} : { archive }),
    ...(isLimited ? { retention } : {}),
  }
}

/** The retention of a new organization. */
export const NOTHING_ENDS: RetentionSettings = { submissions: null, sends: null }

/** Whether a setting gets another value. The point of sale is an object. */
function isChanged(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}

import { count, instant, jsonBody, notThere, operated } from './serve.ts'
import * as v from 'valibot'
import type { PlaceRefusal, Organization } from '../../ports/organizations.ts'
import type { PlaceChoice, Move } from '../../ports/placement.ts'
import { jurisdictions, placeKinds, regions } from '../placement/operators/overview.ts'
import { choice, sets, text } from '../record/command.ts'
import { described, component } from '../record/meaning.ts'
import { OrganizationSettings } from '../organizations/settings.ts'
import { echoed } from '../limits/limits.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'

const PlaceKind = v.picklist(placeKinds, `must be ${placeKinds.join(' or ')}`)

/** The keys for a family's place in the operator interface. */
const placeEntries = {
  place: v.exactOptional(
    described(
      PlaceKind,
      'Where a new organization without a parent lives: in the database that organizations share (the default), or with those below it in one of their own. Of an organization that exists, it must be the place where it is.',
    ),
  ),
  region: v.exactOptional(
    described(
      v.picklist(regions, `must be one of ${regions.join(', ')}`),
      'Near where its own database is made, as far as the platform can.',
    ),
  ),
  jurisdiction: v.exactOptional(
    described(
      v.picklist(jurisdictions, `must be one of ${jurisdictions.join(', ')}`),
      'Where its own database must be and stay.',
    ),
  ),
}

/** The flag that says in which kind of place a family lives. */
export const placeFlag = sets('place', text(placeKinds.join('|')))

/** The flags that say where in the world a family's own database is. */
export const lawFlags = {
  region: sets('region', choice('REGION', regions)),
  jurisdiction: sets('jurisdiction', choice('LAW', jurisdictions)),
} as const

/** The place of an organization. */
export const PlaceSettings = v.strictObject(placeEntries)

/** The place to which a family is to move. */
export const MoveSettings = v.strictObject({
  ...placeEntries,
  place: described(PlaceKind, 'Where the family is to live.'),
})

/** The settings of an organization, and the place if it is new. */
export const PlacedSettings = v.strictObject({ ...OrganizationSettings.entries, ...placeEntries })

type PlacedSettings = v.InferOutput<typeof PlacedSettings>

/**
 * Splits settings into the requested place (null: none was requested), or a sentence that refuses it, and the other
 * settings.
 */
export function choiceOf({ place, region, jurisdiction, ...settings }: PlacedSettings): {
  readonly choice: PlaceChoice | string | null
  readonly settings: Omit<PlacedSettings, keyof typeof placeEntries>
} {
  const asked = {
    ...(place === undefined ? {} : { place }),
    ...(region === undefined ? {} : { region }),
    ...(jurisdiction === undefined ? {} : { jurisdiction }),
  }
  return { choice: choose(asked, settings.parentId ?? null), settings }
}

/** The requested place (null: none was requested), or a sentence that refuses it. */
function choose(
  given: v.InferOutput<typeof PlaceSettings>,
  parentId: string | null,
): PlaceChoice | string | null {
  const { place, region, jurisdiction } = given
  const setting = region === undefined ? 'jurisdiction' : 'region'
  const isBound = region !== undefined || jurisdiction !== undefined
  if (isBound && parentId !== null)
    return `${setting}: cannot be given beside a parent, which says where the family lives.`
  if (isBound && place !== 'own') return `${setting}: needs the place own.`
  return place === undefined ? null : choiceOfPlace({ ...given, place })
}

/** The requested place, or a sentence that refuses it. */
export function choiceOfPlace({
  place,
  region,
  jurisdiction,
}: v.InferOutput<typeof MoveSettings>): PlaceChoice | string {
  if (region !== undefined && jurisdiction !== undefined)
    return 'region: cannot be given together with a jurisdiction.'
  if (place === 'own') return { kind: 'own', region: region ?? null, jurisdiction: jurisdiction ?? null }
  if (region !== undefined) return 'region: needs the place own.'
  return jurisdiction === undefined ? { kind: 'shared' } : 'jurisdiction: needs the place own.'
}

/** Why families cannot have databases of their own in this service. */
const NO_PLACES =
  'The service has no binding FAMILIES, which a database of its own needs. Deploy it with the Durable Object class of wrangler.toml.'

/** Why the platform cannot provide a database of its own as it was requested. */
const placeRefusals: Readonly<Record<PlaceRefusal, string>> = {
  no_places: NO_PLACES,
  no_jurisdiction:
    'The platform on which the service runs cannot keep a database within this jurisdiction; the local runtime knows none. Leave the jurisdiction out, or choose another one.',
}

/** Why an organization cannot be in the requested place. */
export function placeProblem(
  outcome: 'elsewhere' | PlaceRefusal,
  { organizationId, parentId }: Organization,
  existing: Organization | null,
): string {
  if (outcome !== 'elsewhere') return placeRefusals[outcome]
  if (existing === null)
    return parentId === null
      ? `${organizationId} was begun in another place. Ask for that, or take another id.`
      : `The family of ${parentId} lives in another place. Leave the place out: a child goes where its parent is.`
  if (existing.parentId === parentId)
    return `${organizationId} lives in another place. Move its family with "org move".`
  return parentId === null
    ? `${organizationId} can leave its family only in the shared database, where it then stays. Move the family there with "org move" first.`
    : `${parentId} is not in the place where ${organizationId} lives. Move the family with "org move" first.`
}

const place = v.picklist(placeKinds)

const Published = v.strictObject({
  moveId: described(v.string(), 'Names the move.'),
  organizationId: described(v.string(), 'The organization at the root of the family that moves.'),
  from: described(place, 'Where the family lived when the move began.'),
  to: described(place, 'Where it is moved to.'),
  region: described(v.nullable(v.string()), 'Where the new database was asked to be; null: anywhere.'),
  jurisdiction: described(v.nullable(v.string()), 'Where the new database must stay; null: anywhere.'),
  phase: described(
    v.picklist(['copying', 'switching', 'switched', 'comparing', 'done', 'aborting', 'aborted']),
    '`copying`: rows are copied while the family is served where it was. `switching`: its writes wait for a moment. `switched`, `comparing`: it lives in the new place, and the rows of both are compared. `done`: the old place keeps its rows for a day, and nobody can use them. `aborting`, `aborted`: the move was given up, and everything is as it was.',
  ),
  copiedRows: described(count, 'Rows that were copied.'),
  comparedRows: described(count, 'Rows that were compared after the switch.'),
  table: described(count, 'The table that is worked on.'),
  tables: described(count, 'How many tables there are; 0: not known yet.'),
  pausedMs: described(v.nullable(count), 'How long writes were paused, in milliseconds; null: not yet.'),
  failure: described(
    v.nullable(v.string()),
    'Why the service gave the move up, or which rows it found different after the switch, so that the old place keeps them; null: neither.',
  ),
  startedAt: described(instant, 'When it began.'),
  endedAt: described(v.nullable(instant), 'When it ended; null: it runs.'),
})

export const MoveBody = component('Move', described(Published, 'The move of a family to another place.'))

const sampleMove: v.InferOutput<typeof Published> = {
  moveId: '5f0c9a1e7d554a1b9c1f',
  organizationId: 'acme',
  from: 'shared',
  to: 'own',
  region: 'weur',
  jurisdiction: null,
  phase: 'copying',
  copiedRows: 412_000,
  comparedRows: 0,
  table: 11,
  tables: 38,
  pausedMs: null,
  failure: null,
  startedAt: '2026-05-19T18:10:00.000Z',
  endedAt: null,
}

/** A move in its published form. */
export function publishedMove(move: Move): v.InferOutput<typeof Published> {
  const { moveId, familyId, source, target, phase, shown, failure, startedAt, endedAt } = move
  return {
    moveId,
    organizationId: familyId,
    from: source.kind,
    to: target.kind,
    region: target.kind === 'own' ? target.region : null,
    jurisdiction: target.kind === 'own' ? target.jurisdiction : null,
    phase,
    copiedRows: shown?.copiedRows ?? 0,
    comparedRows: shown?.comparedRows ?? 0,
    table: shown?.table ?? 0,
    tables: shown?.tables ?? 0,
    pausedMs: shown?.pausedMs ?? null,
    failure,
    startedAt,
    endedAt,
  }
}

export const beginMove = operated({
  id: 'moves.begin',
  method: 'POST',
  path: '/operator/v1/organizations/{organizationId}/move',
  access: 'admin',
  action: 'organization.move',
  tag: 'Organizations',
  summary: 'Move a family to another place',
  description:
    'The organization must be the root of its family, which moves as a whole and is served meanwhile. The answer comes at once, and the service goes on by itself. Asked again, it names the move that runs. Null: the family lives there already.',
  body: jsonBody(MoveSettings, { place: 'own', region: 'weur' }),
  responses: {
    200: jsonResponse('The move.', v.strictObject({ move: v.nullable(MoveBody) }), { move: sampleMove }),
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '' }, body, change }, { moves }) => {
    const choice = choiceOfPlace(body)
    if (typeof choice === 'string') return errorReply(400, choice)
    await change.announce({ type: 'move', id: null, to: choice.kind })
    const begun = await moves.begin(organizationId, choice)
    if ('move' in begun) change.concerns({ type: 'move', id: begun.move.moveId, to: choice.kind })
    switch (begun.kind) {
      case 'running':
        return jsonReply(200, { move: publishedMove(begun.move) }, PRIVATE)
      case 'there':
        return jsonReply(200, { move: null }, PRIVATE)
      case 'unknown':
        return notThere(organizationId)
      case 'child':
        return errorReply(
          409,
          `${organizationId} is below ${begun.rootId}. A family moves as a whole: move ${begun.rootId}.`,
        )
      case 'busy':
        return errorReply(409, `${organizationId} is being moved elsewhere. Wait for that, or give it up.`)
      case 'no_places':
      case 'no_jurisdiction':
        return errorReply(409, placeRefusals[begun.kind])
    }
  },
})

export const showMove = operated({
  id: 'moves.show',
  method: 'GET',
  path: '/operator/v1/moves/{moveId}',
  access: 'support',
  tag: 'Organizations',
  summary: 'Show a move',
  responses: { 200: jsonResponse('The move.', MoveBody, sampleMove), 404: 'NotFound' },
  answer: async ({ params: { moveId = '' } }, { moves }) => {
    const move = await moves.watch(moveId)
    return move === null
      ? errorReply(404, `There is no move ${echoed(moveId)}.`)
      : jsonReply(200, publishedMove(move), PRIVATE)
  },
})

export const abortMove = operated({
  id: 'moves.abort',
  method: 'POST',
  path: '/operator/v1/organizations/{organizationId}/move/abort',
  access: 'admin',
  action: 'organization.abortMove',
  tag: 'Organizations',
  summary: 'Give a move up before it has switched',
  description: 'The family stays where it was. Once it lives in the new place, the move can only be ended.',
  responses: {
    200: jsonResponse('The move, which is given up.', MoveBody, { ...sampleMove, phase: 'aborting' }),
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '' }, change }, { moves }) => {
    const move = await moves.running(organizationId)
    if (move === null) return errorReply(404, `No move of ${echoed(organizationId)} runs.`)
    await change.announce({ type: 'move', id: move.moveId, to: move.target.kind })
    if (!(await moves.abort(move.moveId)))
      return errorReply(409, `${organizationId} lives in the new place already. The move can only be ended.`)
    return jsonReply(200, publishedMove((await moves.watch(move.moveId)) ?? move), PRIVATE)
  },
})

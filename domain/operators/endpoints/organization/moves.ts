import * as v from 'valibot'
import { echoed } from '../../../limits/echo.ts'
import { jsonResponse, operation, type ReplyOf } from '../../../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../../../record/reply.ts'
import { jsonBody } from '../../interface/body.ts'
import { unknownOrganization, type OperatorRequestOf } from '../../interface/serve.ts'
import type { OperatorWorld } from '../../interface/world.ts'
import { choiceOfPlace, MoveSettings, placeRefusals } from '../../place-settings.ts'
import { MoveBody, publishedMove, sampleMove } from '../schemas/move-schema.ts'

export const beginMove = operation({
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
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
})

export const showMove = operation({
  id: 'moves.show',
  method: 'GET',
  path: '/operator/v1/moves/{moveId}',
  access: 'support',
  tag: 'Organizations',
  summary: 'Show a move',
  responses: { 200: jsonResponse('The move.', MoveBody, sampleMove), 404: 'NotFound' },
})

export const abortMove = operation({
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
})

/** Answers `POST /operator/v1/organizations/{organizationId}/move`. */
export async function serveBeginMove(
  { params: { organizationId = '' }, body, change }: OperatorRequestOf<typeof beginMove>,
  { moves }: OperatorWorld,
): Promise<ReplyOf<typeof beginMove>> {
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
      return unknownOrganization(organizationId)
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
}

/** Answers `GET /operator/v1/moves/{moveId}`. */
export async function serveMove(
  { params: { moveId = '' } }: OperatorRequestOf<typeof showMove>,
  { moves }: OperatorWorld,
): Promise<ReplyOf<typeof showMove>> {
  const move = await moves.watch(moveId)
  return move === null
    ? errorReply(404, `There is no move ${echoed(moveId)}.`)
    : jsonReply(200, publishedMove(move), PRIVATE)
}

/** Answers `POST /operator/v1/organizations/{organizationId}/move/abort`. */
export async function serveAbortMove(
  { params: { organizationId = '' }, change }: OperatorRequestOf<typeof abortMove>,
  { moves }: OperatorWorld,
): Promise<ReplyOf<typeof abortMove>> {
  const move = await moves.running(organizationId)
  if (move === null) return errorReply(404, `No move of ${echoed(organizationId)} runs.`)
  await change.announce({ type: 'move', id: move.moveId, to: move.target.kind })
  if (!(await moves.abort(move.moveId)))
    return errorReply(409, `${organizationId} lives in the new place already. The move can only be ended.`)
  return jsonReply(200, publishedMove((await moves.watch(move.moveId)) ?? move), PRIVATE)
}

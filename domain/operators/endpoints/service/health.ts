import * as v from 'valibot'
import { operatorRoles, type Operator } from '../../../access/operator-credentials.ts'
import { component, described } from '../../../record/meaning.ts'
import { jsonResponse, operation, type ReplyOf } from '../../../record/operation.ts'
import { jsonReply, PRIVATE } from '../../../record/reply.ts'
import { toInstant } from '../../../text/instant.ts'
import type { OperatorRequestOf } from '../../interface/serve.ts'
import type { OperatorWorld } from '../../interface/world.ts'

const Health = component(
  'Health',
  described(
    v.strictObject({
      status: described(v.literal('ok'), 'The service answers, and its storage does.'),
      at: described(v.pipe(v.string(), v.isoTimestamp()), "The service's clock."),
      operatorKeyId: described(v.nullable(v.string()), 'The key that this was asked with.'),
      operator: described(v.string(), 'The person or program that it was issued to.'),
      role: described(v.picklist(operatorRoles), 'What it may do.'),
    }),
    'How the service is, and who asked.',
  ),
)

export const getHealth = operation({
  id: 'health.get',
  method: 'GET',
  path: '/operator/v1/health',
  access: 'support',
  tag: 'Service',
  summary: 'See whether the service and this key work',
  description: 'The key is looked up in the storage, so an answer shows that both work.',
  responses: {
    200: jsonResponse('Both work.', Health, {
      status: 'ok',
      at: '2026-05-19T18:10:00.000Z',
      operatorKeyId: '3kTzB0n9QmVx',
      operator: 'ada',
      role: 'admin',
    }),
  },
})

/** Answers `GET /operator/v1/health`. */
export async function serveHealth(
  _request: OperatorRequestOf<typeof getHealth>,
  { clock }: OperatorWorld,
  { keyId, name, role }: Operator,
): Promise<ReplyOf<typeof getHealth>> {
  return jsonReply(
    200,
    { status: 'ok', at: toInstant(clock.nowMs()), operatorKeyId: keyId, operator: name, role },
    PRIVATE,
  )
}

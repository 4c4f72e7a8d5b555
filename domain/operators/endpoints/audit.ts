import * as v from 'valibot'
import type { AuditRecord } from '../../../ports/audit.ts'
import { described } from '../../record/meaning.ts'
import type { ReplyOf } from '../../record/operation.ts'
import { jsonResponse, operation } from '../../record/operation.ts'
import { organizationFilter, pageOf, pageParameters, samplePagination, servePage } from '../interface/list.ts'
import type { OperatorRequestOf } from '../interface/serve.ts'
import type { OperatorWorld } from '../interface/world.ts'
import { instant } from './key-schema.ts'

const Recorded = v.strictObject({
  at: described(instant, 'When it was asked for.'),
  operatorKeyId: described(
    v.nullable(v.string()),
    'The key that asked; null: whoever holds the root secret.',
  ),
  operator: described(v.string(), 'The person or program that the key was issued to.'),
  action: described(v.string(), 'What was asked for.'),
  organizationId: described(
    v.nullable(v.string()),
    'The organization that it is about; null: the platform, or the service.',
  ),
  outcome: described(
    v.picklist(['done', 'refused', 'forbidden', 'failed']),
    '`done`: it was changed. `refused`: it was not, because what is stored did not allow it. `forbidden`: it was not, because the role did not allow it. `failed`: the service failed, so it may or may not have been changed.',
  ),
})

export const listAudit = operation({
  id: 'audit.list',
  method: 'GET',
  path: '/operator/v1/audit',
  access: 'support',
  tag: 'Audit',
  summary: 'List what operators did',
  description: 'Newest first: every change, and every one that was refused.',
  query: { organizationId: organizationFilter, ...pageParameters },
  responses: {
    200: jsonResponse('A page of records.', pageOf('AuditPage', Recorded), {
      data: [
        {
          at: '2026-05-19T18:10:00.000Z',
          operatorKeyId: '3kTzB0n9QmVx',
          operator: 'ada',
          action: 'key.revoke',
          organizationId: 'acme',
          outcome: 'done',
        },
      ],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
  },
})

/** Answers `GET /operator/v1/audit`. */
export async function serveAudit(
  { query }: OperatorRequestOf<typeof listAudit>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof listAudit>> {
  const { organizationId } = query
  return servePage(
    query,
    {
      scope: { endpointId: listAudit.id, organizationId },
      read: (after, limit) =>
        world.audit.list(
          organizationId,
          after === null ? null : { at: String(after.value), auditId: after.id },
          limit,
        ),
      positionOf: ({ at, auditId }) => ({ value: at, id: auditId }),
    },
    world,
    published,
  )
}

function published({ at, operatorKeyId, operator, action, organizationId, outcome }: AuditRecord) {
  return { at, operatorKeyId, operator, action, organizationId, outcome }
}

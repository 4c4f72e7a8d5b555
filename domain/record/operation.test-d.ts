import * as v from 'valibot'
import { handled, type HandlerFor } from '../access/serve-operation.ts'
import { jsonResponse, operation, type ReplyOf, type RequestOf, type QueryParameter } from './operation.ts'
import { errorReply, jsonReply } from './reply.ts'

// Compile-time promises about operations and their handlers; `tsc` checks them.

const Figures = v.strictObject({ total: v.number(), unit: v.picklist(['day', 'month']) })

const unit: QueryParameter<'day' | 'month'> = {
  description: 'The unit.',
  schema: v.picklist(['day', 'month']),
  read: ([text]) => ({ kind: 'value', value: text === 'month' ? 'month' : 'day' }),
}

const described = { tag: 'Analytics', summary: 'Report' } as const
const place = { method: 'GET', path: '/figures' } as const

const figures = {
  access: 'tenant',
  scope: 'read',
  ...described,
  query: { unit },
  responses: {
    200: jsonResponse('The figures.', Figures, { total: 1, unit: 'day' }),
    304: { description: 'They are as they were.' },
    400: 'BadRequest',
  },
} as const
const getFigures = operation({ ...place, id: 'figures.get', ...figures })

const postFigures = operation({
  ...place,
  id: 'figures.post',
  access: 'public',
  ...described,
  responses: {
    200: {
      description: 'Taken.',
      content: { 'application/json': { schema: Figures }, 'text/html': { schema: v.string() } },
    },
  },
})

type Handler = HandlerFor<typeof getFigures, object>

export const declared: readonly Handler[] = [
  async ({ query }) => jsonReply(200, { total: 1, unit: query.unit }),
  async () => ({ status: 304, headers: {}, body: null }),
  async () => errorReply(400, 'Parameter unit must be day or month.'),
  // @ts-expect-error a property is missing
  async () => jsonReply(200, { total: 1 }),
  // @ts-expect-error a property is of another type
  async ({ query }) => jsonReply(200, { total: '1', unit: query.unit }),
  // @ts-expect-error the status is not declared
  async () => errorReply(404, 'Not found'),
  // @ts-expect-error this is the body of another status
  async () => jsonReply(400, { total: 1, unit: 'day' as const }),
  // @ts-expect-error a declared body is missing
  async () => ({ status: 200, headers: {}, body: null }),
  // @ts-expect-error JSON is declared, and a plain text cannot be checked against its schema
  async () => ({ status: 200, headers: {}, body: '{"total":"1"}' }),
]

export const parameter: keyof RequestOf<typeof getFigures>['query'] = 'unit'
// @ts-expect-error there is no such parameter
export const noParameter: keyof RequestOf<typeof getFigures>['query'] = 'total'

export const tenant: keyof Parameters<Handler>[2] = 'organizationId'
// @ts-expect-error a handler for tenant keys receives the tenant, not a caller that may be the platform
export const caller: keyof Parameters<Handler>[2] = 'organization'
export const nobody: Parameters<HandlerFor<typeof postFigures, object>>[2] = null

export const pages: readonly HandlerFor<typeof postFigures, object>[] = [
  async () => ({ status: 200, headers: {}, body: '<!doctype html>' }),
  // @ts-expect-error a response that may also be a page still allows only the declared JSON
  async () => jsonReply(200, { total: '1' }),
]

export async function handler({ query }: RequestOf<typeof getFigures>): Promise<ReplyOf<typeof getFigures>> {
  return jsonReply(200, { total: 1, unit: query.unit })
}

handled(figures, handler)
handled(figures, async ({ query }, _world: object, tenant) =>
  jsonReply(200, { total: tenant.organizationId.length, unit: query.unit }),
)
// @ts-expect-error the handler belongs to another operation
handled({ ...figures, query: {} }, handler)
// @ts-expect-error the handler is missing
handled(figures)
// @ts-expect-error the status is not declared
handled(figures, async () => errorReply(404, 'Not found'))

// @ts-expect-error the example does not match its schema
jsonResponse('The figures.', Figures, { total: 1, unit: 'year' })

// @ts-expect-error an operation with a key must name the scope that the key needs
operation({ ...place, ...described, id: 'x', access: 'tenant', responses: {} })
// @ts-expect-error an operation without a key has no scope
operation({ ...place, ...described, id: 'x', access: 'public', scope: 'read', responses: {} })

// @ts-expect-error a part of the declaration is misspelt
operation({ ...place, ...described, id: 'x', access: 'public', responses: {}, querry: { unit } })

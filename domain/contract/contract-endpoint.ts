import type { RoutedRequest } from '../service.ts'
import { toBase64Url, utf8 } from '../text/encoding.ts'
import type { Endpoint } from './endpoint.ts'
import { operation } from './endpoint.ts'
import { namesEtag } from './etag.ts'
import { buildDocument } from './openapi.ts'
import type { Reply } from './reply.ts'

const headers = {
  ETag: { required: true, schema: { type: 'string' }, description: 'Changes with the document.' },
}

export const getContract = operation({
  id: 'contract.get',
  method: 'GET',
  path: '/api/v1/openapi.json',
  access: 'public',
  tag: 'Contract',
  summary: 'Retrieve the contract document',
  description:
    'This document, OpenAPI 3.1, without a key and for pages of any origin. Keep its ETag and ask with `If-None-Match`.',
  openapi: {
    parameters: [
      {
        name: 'If-None-Match',
        in: 'header',
        description: 'ETags of the documents that you have.',
        schema: { type: 'string' },
        example: '"4Xc9mB7tQ2vN8kLwR1yZpA"',
      },
    ],
    responses: {
      '200': {
        description: 'This document.',
        headers,
        content: {
          'application/json': {
            schema: { type: 'object', additionalProperties: true },
            example: { openapi: '3.1.0', info: { title: 'Tenant data API', version: '1.0.0' }, paths: {} },
          },
        },
      },
      '304': { description: 'The document is the one that `If-None-Match` names.', headers },
    },
  },
})

interface Rendered {
  readonly body: string
  readonly etag: string
}

const rendered = new WeakMap<readonly Endpoint[], Rendered>()

/** Serves the document of the endpoints. It is built on the first request and kept. */
export async function serveContract(
  endpoints: readonly Endpoint[],
  { request }: RoutedRequest,
): Promise<Reply> {
  const { body, etag } = rendered.get(endpoints) ?? (await render(endpoints))
  const headers = {
    etag,
    'cache-control': 'public, max-age=0, must-revalidate',
    'access-control-allow-origin': '*',
  }
  if (namesEtag(request.headers.get('if-none-match'), etag)) return { status: 304, headers, body: null }
  return { status: 200, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body }
}

async function render(endpoints: readonly Endpoint[]): Promise<Rendered> {
  const body = JSON.stringify(buildDocument(endpoints))
  const digest = await crypto.subtle.digest('SHA-256', utf8(body))
  const made = { body, etag: `"${toBase64Url(new Uint8Array(digest).slice(0, 16))}"` }
  rendered.set(endpoints, made)
  return made
}

import type { RoutedRequest } from '../service.ts'
import { toBase64Url, utf8 } from '../text/encoding.ts'
import type { Endpoint } from './endpoint.ts'
import { operation } from './endpoint.ts'
import { namesEtag } from './etag.ts'
import { buildDocument } from './openapi.ts'
import type { Reply } from './reply.ts'

export const getContract = operation({
  id: 'contract.get',
  method: 'GET',
  path: '/api/v1/openapi.json',
  access: 'public',
  tag: 'Contract',
  summary: 'Retrieve the contract document',
  openapi: {
    responses: {
      '200': {
        description: 'This document.',
        headers: { ETag: { schema: { type: 'string' }, description: 'Changes with the document.' } },
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      '304': { description: 'The document is the one that `If-None-Match` names.' },
      '500': { $ref: '#/components/responses/InternalError' },
    },
  },
})

interface Rendered {
  readonly body: string
  readonly etag: string
}

const rendered = new WeakMap<readonly Endpoint[], Promise<Rendered>>()

/** Serves the document of the endpoints. It is built on the first request and kept. */
export async function serveContract(
  endpoints: readonly Endpoint[],
  { request }: RoutedRequest,
): Promise<Reply> {
  const known = rendered.get(endpoints) ?? render(endpoints)
  rendered.set(endpoints, known)
  const { body, etag } = await known
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
  return { body, etag: `"${toBase64Url(new Uint8Array(digest).slice(0, 16))}"` }
}

import * as v from 'valibot'
import { handled } from '../access/serve-operation.ts'
import type { Endpoint } from '../record/endpoint.ts'
import { writtenReply, type RoutedRequest } from '../record/reply.ts'
import { toBase64Url, utf8 } from '../text/encoding.ts'
import { namesEtag } from '../text/http.ts'
import { buildDocument, type Document } from './openapi.ts'
import type { DocumentTexts } from './prose.ts'

const headers = { ETag: { description: 'Changes with the document.', schema: v.string() } }

/** The parts that the endpoints of all contract documents have in common. */
export const contractParts = {
  summary: 'Retrieve the contract document',
  description:
    'This document, OpenAPI 3.1, without a key and for pages of any origin. Keep its ETag and ask with `If-None-Match`.',
  headers: {
    'If-None-Match': {
      description: 'ETags of the documents that you have.',
      schema: v.string(),
      example: '"4Xc9mB7tQ2vN8kLwR1yZpA"',
    },
  },
  responses: {
    200: {
      description: 'This document.',
      headers,
      content: {
        'application/json': {
          schema: v.record(v.string(), v.unknown()),
          example: { openapi: '3.1.0', info: { title: 'Tenant data API', version: '1.0.0' }, paths: {} },
        },
      },
    },
    304: { description: 'The document is the one that `If-None-Match` names.', headers },
  },
} as const

/** The contract document of the public interface. */
export function getContract(endpoints: Declared) {
  return handled({ access: 'public', tag: 'Contract', ...contractParts }, (request) =>
    serveContract(endpoints, request),
  )
}

/** The endpoints of an interface. */
type Declared = () => Promise<readonly Endpoint[]>

interface Rendered {
  readonly document: Document
  readonly body: string
  readonly etag: string
}

const rendered = new WeakMap<Declared, Rendered>()

/** Serves the document of the endpoints. It is built on the first request and kept. */
export async function serveContract(endpoints: Declared, { request }: RoutedRequest, texts?: DocumentTexts) {
  const { document, body, etag } = rendered.get(endpoints) ?? (await render(endpoints, texts))
  const headers = {
    etag,
    'cache-control': 'public, max-age=0, must-revalidate',
    'access-control-allow-origin': '*',
  }
  if (namesEtag(request.headers.get('if-none-match'), etag))
    return { status: 304, headers, body: null } as const
  return writtenReply(200, document, body, headers)
}

async function render(endpoints: Declared, texts: DocumentTexts | undefined): Promise<Rendered> {
  const document = buildDocument(await endpoints(), texts)
  const body = JSON.stringify(document)
  const digest = await crypto.subtle.digest('SHA-256', utf8(body))
  const made = { document, body, etag: `"${toBase64Url(new Uint8Array(digest).slice(0, 16))}"` }
  rendered.set(endpoints, made)
  return made
}

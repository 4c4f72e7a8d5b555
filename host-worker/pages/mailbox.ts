import type { Mailbox } from '../../adapters/local/index.ts'
import type { Env } from '../env/index.ts'
import { openMailbox } from '../wiring/storage.ts'
import { mailboxPage } from './mailbox-page.ts'
import { MAILBOX_PATH } from './paths.ts'

const MESSAGES_MAX = 100

const common = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The policy of the page: no scripts, and only the pictures of messages and the framed emails are loaded. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** The policy of content from outside: no scripts, forms, links to this page, or requests to other hosts. */
const STRANGER_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

/**
 * Serves the messages in the local mailbox, as a page or, when the request asks for it, as JSON. Null when there is no
 * local mailbox.
 */
export async function serveMailbox(request: Request, env: Env): Promise<Response | null> {
  if (!env.localMailbox) return null
  if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } })
  const mailbox = openMailbox(env)
  const { pathname, searchParams } = new URL(request.url)
  const messageId = searchParams.get('id') ?? ''
  switch (pathname) {
    case MAILBOX_PATH:
      return overview(request, mailbox)
    case `${MAILBOX_PATH}/html`:
      return document('text/html; charset=utf-8', await mailbox.html(messageId))
    case `${MAILBOX_PATH}/attachment`:
      return download(await mailbox.attachment(messageId, Number(searchParams.get('position'))))
    default:
      return null
  }
}

async function overview(request: Request, mailbox: Mailbox): Promise<Response> {
  const messages = await mailbox.list(MESSAGES_MAX)
  if (request.headers.get('accept')?.includes('application/json') === true) {
    return Response.json({ messages }, { headers: common })
  }
  const { markup } = mailboxPage(messages, MESSAGES_MAX, MAILBOX_PATH)
  return new Response(markup, {
    headers: {
      ...common,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
    },
  })
}

function document(
  type: string,
  body: BodyInit | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (body === null)
    return new Response('There is no such thing in the mailbox.', { status: 404, headers: common })
  return new Response(body, {
    headers: { ...common, ...headers, 'content-type': type, 'content-security-policy': STRANGER_POLICY },
  })
}

/** Serves an attachment as a download, so that a browser only saves it and never shows it, whatever its type. */
function download(found: Awaited<ReturnType<Mailbox['attachment']>>): Response {
  if (found === null) return document('text/plain', null)
  const name = encodeURIComponent(found.filename).replaceAll("'", '%27')
  const bytes = Uint8Array.from(atob(found.content), (character) => character.charCodeAt(0))
  return document('application/octet-stream', bytes, {
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
  })
}

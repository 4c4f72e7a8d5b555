import type { Mailbox } from '../../adapters/local/index.ts'
import { mailboxEntry } from '../console/built.mjs'
import { appPage } from '../pages/app-page.ts'
import { mailboxHeaders, pageResponse } from '../pages/page-headers.ts'
import { MAILBOX_PATH } from '../pages/paths.ts'

const MESSAGES_MAX = 100

const common = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The policy of content from outside: no scripts, forms, links to this page, or requests to other hosts. */
const STRANGER_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

/**
 * Serves the local mailbox: its page, its messages as JSON when the request asks for it, and their parts. `DELETE` with
 * `id` removes one message, without it every one. Null: it has nothing at this path.
 */
export async function serveMailbox(request: Request, mailbox: Mailbox): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url)
  const messageId = searchParams.get('id') ?? undefined
  if (request.method === 'DELETE' && pathname === MAILBOX_PATH) {
    await mailbox.delete(messageId)
    return new Response(null, { status: 204, headers: common })
  }
  if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET, DELETE' } })
  switch (pathname) {
    case MAILBOX_PATH:
      return overview(request, searchParams, mailbox)
    case `${MAILBOX_PATH}/html`:
      return document('text/html; charset=utf-8', await mailbox.html(messageId ?? ''))
    case `${MAILBOX_PATH}/attachment`:
      return download(await mailbox.attachment(messageId ?? '', Number(searchParams.get('position'))))
    default:
      return null
  }
}

/**
 * The newest messages, and whether there are no others. `search` finds some of them, `id` one, and `brief` leaves out
 * their content.
 */
async function overview(request: Request, given: URLSearchParams, mailbox: Mailbox): Promise<Response> {
  if (request.headers.get('accept')?.includes('application/json') !== true) {
    const otherwise = 'The mailbox needs scripts. With “Accept: application/json” it answers with JSON.'
    return pageResponse(request, () => appPage('Mailbox', mailboxEntry, otherwise).markup, mailboxHeaders)
  }
  const found = await mailbox.list(MESSAGES_MAX + 1, {
    search: given.get('search') ?? '',
    messageId: given.get('id') ?? '',
    isBrief: given.has('brief'),
  })
  const answer = { messages: found.slice(0, MESSAGES_MAX), isWhole: found.length <= MESSAGES_MAX }
  return Response.json(answer, { headers: common })
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

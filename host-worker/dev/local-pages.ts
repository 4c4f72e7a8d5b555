import type { Mailbox } from '../../adapters/local/index.ts'
import { html } from '../../domain/text/html.ts'
import { mailboxEntry } from '../console/built.mjs'
import { CHALLENGE_MAX_LENGTH, PROOF_PATH, proofOfState, SITE_PATH } from '../local/local-endpoints.ts'
import { pageResponse, mailboxHeaders, appPage, serveStart } from '../pages/index.ts'
import { CONSOLE_PATH, MAILBOX_PATH, START_PATH } from '../pages/paths.ts'
import type { Prepared } from './prepare.ts'

/** Where the cron trigger is fired. wrangler has the same path, and takes the request before it gets here. */
export const CRON_PATH = '/cdn-cgi/local/scheduled'

/** Serves what only a developer's machine has. Null: the request is for the service. */
export async function serveLocalPage(
  request: Request,
  url: URL,
  prepared: Prepared,
): Promise<Response | null> {
  const { pathname } = url
  if (pathname === START_PATH) return startPage(request, url, prepared)
  if (pathname.startsWith(MAILBOX_PATH)) return serveMailbox(request, prepared.mailbox)
  if (pathname === SITE_PATH || pathname.startsWith(`${SITE_PATH}/`)) return sitePage(request, url)
  if (pathname === PROOF_PATH) {
    const challenge = url.searchParams.get('challenge') ?? ''
    if (challenge === '' || challenge.length > CHALLENGE_MAX_LENGTH) return null
    return new Response(await proofOfState(prepared.rootSecret, challenge))
  }
  return null
}

async function startPage(request: Request, url: URL, { kept, hasDemo }: Prepared): Promise<Response | null> {
  if (!hasDemo) return null
  const [operatorKey, demoKey] = [await kept.read('operator-key'), await kept.read('tenant-key demo')]
  const cron = `${url.origin}${CRON_PATH}?cron=*+*+*+*+*`
  return serveStart(request, {
    consoleHref: operatorKey === null ? CONSOLE_PATH : `${CONSOLE_PATH}#${operatorKey}`,
    demoKey: demoKey ?? '$KEY',
    ways: [
      [
        `${otherOrigin(url)}${SITE_PATH}/`,
        'Demo forms',
        'The web site of a demo tenant: three forms that post to this service.',
      ],
      [MAILBOX_PATH, 'Mailbox', 'What would have been sent by email and text message. Only on this machine.'],
    ],
    about: html`<h2>On this machine</h2>
      <p>
        <code>npm start</code> fires the cron trigger every minute, and runs the gateway of the two demo
        organizations whose point of sale is behind ODBC. Under <code>npx wrangler dev</code> these two answer
        as a source that cannot be reached, and the trigger needs a call:
        <code>curl "${cron}"</code>
      </p>`,
  })
}

/** This machine has two names, and so two origins: pages of one are strangers to the other. */
function otherOrigin({ protocol, hostname, port }: URL): string {
  const other = hostname === 'localhost' ? '127.0.0.1' : 'localhost'
  return `${protocol}//${other}${port === '' ? '' : `:${port}`}`
}

/** The web site of the demo's tenant: plain pages on another origin than the service, like every tenant's site. */
const PAGES = ['index', 'contact', 'damage-claim', 'members', 'thanks']

async function sitePage(request: Request, url: URL): Promise<Response | null> {
  const name = url.pathname.slice(SITE_PATH.length + 1)
  const isStyle = name === 'style.css'
  const page = name === '' ? 'index' : name
  if (!isStyle && !PAGES.includes(page)) return null
  const { textAt } = await import('../bundle/local-texts.mjs')
  const text = textAt(`host-worker/dev/site/${isStyle ? name : `${page}.html`}`)
  return pageResponse(request, () => text.replaceAll('{{service}}', otherOrigin(url)), {
    'content-type': `${isStyle ? 'text/css' : 'text/html'}; charset=utf-8`,
    // A browser may keep the page, with what was typed, in its history. With `no-store`, going back would lose the
    // typed values.
    'cache-control': 'no-cache',
  })
}

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
 * The newest messages, and whether there are no others. `search` finds some of them, `id` one, and `brief` leaves out
 * their content.
 */
async function overview(request: Request, given: URLSearchParams, mailbox: Mailbox): Promise<Response> {
  if (request.headers.get('accept')?.includes('application/json') !== true) {
    const otherwise = 'The mailbox needs scripts. With “Accept: application/json” it answers with JSON.'
    return pageResponse(request, () => appPage('Mailbox', mailboxEntry, otherwise), mailboxHeaders)
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

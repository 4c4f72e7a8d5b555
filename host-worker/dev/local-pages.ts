import { html } from '../../domain/text/html.ts'
import { CHALLENGE_MAX_LENGTH, PROOF_PATH, proofOfState, SITE_PATH } from '../local/local-endpoints.ts'
import { pageResponse } from '../pages/page-headers.ts'
import { CONSOLE_PATH, MAILBOX_PATH, START_PATH } from '../pages/paths.ts'
import { serveStart } from '../pages/start.ts'
import { serveMailbox } from './mailbox.ts'
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
  const { textAt } = await import('./texts.ts')
  const text = textAt(`host-worker/dev/site/${isStyle ? name : `${page}.html`}`)
  return pageResponse(request, () => text.replaceAll('{{service}}', otherOrigin(url)), {
    'content-type': `${isStyle ? 'text/css' : 'text/html'}; charset=utf-8`,
    // A browser may keep the page, with what was typed, in its history. With `no-store`, going back would lose the
    // typed values.
    'cache-control': 'no-cache',
  })
}

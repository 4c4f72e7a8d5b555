import type { FakeProvider } from '../../providers/jobs.ts'
import type { EmailMessage, EmailSender } from '../../../../ports/messaging.ts'
import { answerOf, type Answer, type TestService } from '../service.ts'

/** The fields of answers that tests read, all in one type. Each test knows which of them its answer has. */
interface Body {
  readonly error: string
  readonly data: readonly {
    readonly organizationId: string
    readonly sessionId: string
    readonly savedBy: string
    readonly operator: string
  }[]
  readonly pagination: { readonly nextCursor: string | null }
  readonly email: string
  readonly organizations: readonly object[]
  readonly keyId: string
  readonly key: string
  readonly issuedBy: string | null
  readonly token: string
  readonly form: Readonly<Record<string, unknown>>
  readonly current: { readonly role: string }
}

/** An answer to a browser, with its headers. */
export interface BrowserAnswer extends Answer<Body> {
  readonly headers: Headers
}

/** A browser with cookies of its own, on a page of the console. */
export interface TestBrowser {
  readonly cookies: Map<string, string>
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<BrowserAnswer>
  /** Asks for a link, and returns its token; null: none was sent. */
  readonly ask: (email: string) => Promise<string | null>
  /** Signs in with an address: asks for the link, and opens it. Returns the status. */
  readonly signIn: (email: string) => Promise<number>
}

/** Opens a browser that has no cookies. */
export function openBrowser(
  service: TestService,
  mails: Pick<FakeProvider<EmailMessage, EmailSender>, 'delivered'>,
  userAgent = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
): TestBrowser {
  const cookies = new Map<string, string>()
  const send: TestBrowser['send'] = async (method, path, json, headers = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await service.sendUnchecked(path, {
      method,
      json,
      headers: {
        'sec-fetch-site': 'same-origin',
        'user-agent': userAgent,
        ...(cookie === '' ? {} : { cookie }),
        ...headers,
      },
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return { ...(await answerOf<Body>(response)), headers: response.headers }
  }
  const ask: TestBrowser['ask'] = async (email) => {
    const before = mails.delivered.length
    await send('POST', '/console/sign-in', { email })
    await service.settled()
    const [, message] = mails.delivered.at(before) ?? []
    return /#([\w-]{43})/.exec(message?.text ?? '')?.[1] ?? null
  }
  return {
    cookies,
    send,
    ask,
    async signIn(email) {
      const token = await ask(email)
      return (await send('POST', '/console/session', { token: token ?? '' })).status
    },
  }
}

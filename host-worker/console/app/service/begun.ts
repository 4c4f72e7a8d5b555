// This is the module that a page of the console loads first of all. It takes what signs in out of the address, and asks
// what the first view waits for while the other modules load. It imports nothing.

/** What a person signs in with: the token of a link that was sent to them, or a key. */
export type Credentials = { readonly token: string } | { readonly key: string }

/** How the console asks its own host: in the session of this browser, and never from a cache. */
export const OWN: RequestInit = { credentials: 'same-origin', cache: 'no-store', redirect: 'error' }

const KEY_FRAGMENT = /^#((?:ok|ck)_live_[\w-]+)$/
const TOKEN_FRAGMENT = /^#([\w-]{43})$/

/**
 * Takes what signs in out of the address, where the link of an email or of `npm start` has it, before anything else can
 * see it there. Null: there is none.
 */
export function takeFromAddress(): Credentials | null {
  const { hash, pathname, search } = window.location
  const key = KEY_FRAGMENT.exec(hash)?.[1]
  const token = pathname === '/console/sign-in' ? TOKEN_FRAGMENT.exec(hash)?.[1] : undefined
  if (key === undefined && token === undefined) return null
  window.history.replaceState(null, '', token === undefined ? pathname + search : '/console')
  return token === undefined ? { key: key ?? '' } : { token }
}

/** The key if it is an operator's, which tells by itself whose it is; else null. */
export function operatorKeyIn(credentials: Credentials | null): string | null {
  return credentials !== null && 'key' in credentials && credentials.key.startsWith('ok_live_')
    ? credentials.key
    : null
}

/** The requests that have begun and whose answers nobody has taken yet, by method and path. */
const begun = new Map<string, Promise<Response>>()

function begin(method: string, path: string, headers: Record<string, string>, body?: string): void {
  const answer = fetch(path, {
    ...OWN,
    method,
    headers: { accept: 'application/json', ...headers },
    body: body ?? null,
  })
  // Whoever takes it hears of a failure, too.
  answer.catch(() => undefined)
  begun.set(`${method} ${path}`, answer)
}

/** The answer to a request that has begun already, once; undefined: none of this method and path has. */
export function takeBegun(method: string, path: string): Promise<Response> | undefined {
  const name = `${method} ${path}`
  const taken = begun.get(name)
  begun.delete(name)
  return taken
}

/** What signs in by the address with which the page was opened; null: nothing does. */
export const first = typeof document === 'undefined' ? null : takeFromAddress()

// The first view asks who is signed in. By the token of a link, or a tenant's key, nobody is before there is a session.
if (typeof document !== 'undefined' && location.pathname.startsWith('/console')) {
  const key = operatorKeyIn(first)
  if (first === null || key !== null)
    begin('GET', '/operator/v1/me', key === null ? {} : { authorization: `Bearer ${key}` })
  if (first !== null)
    begin('POST', '/console/session', { 'content-type': 'application/json' }, JSON.stringify(first))
}

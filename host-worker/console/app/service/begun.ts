// This is the module that a page of the console loads first of all. It asks who is signed in while the others load, so
// that the first view waits for one thing less. It imports nothing.

const ME = '/operator/v1/me'

/** How the console asks its own host: in the session of this browser, and never from a cache. */
export const OWN: RequestInit = { credentials: 'same-origin', cache: 'no-store', redirect: 'error' }

let begun: Promise<Response> | null = null

// A page whose address signs in is about to be somebody else's.
if (typeof document !== 'undefined' && location.pathname.startsWith('/console') && location.hash === '') {
  begun = fetch(ME, { ...OWN, headers: { accept: 'application/json' } })
  // Whoever takes it hears of a failure, too.
  begun.catch(() => undefined)
}

/** The answer to a read that has begun already, once; null: none of this path has. */
export function takeBegun(path: string): Promise<Response> | null {
  if (path !== ME) return null
  const taken = begun
  begun = null
  return taken
}

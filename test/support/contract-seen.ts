const SEEN = Symbol.for('contract-seen')

/** One for the process: a test may load its modules afresh, and this one with them. */
const shared = globalThis as unknown as Record<symbol, Set<string> | undefined>
const seen = (shared[SEEN] ??= new Set())

/** Notes that a request exercised a status of an operation. */
export function record(operationId: string, status: number): void {
  seen.add(`${operationId} ${status}`)
}

/** What was exercised since this process began: `operationId status`. */
export function exercised(): readonly string[] {
  return [...seen]
}

const others = new Map<string, string>()

/**
 * Excepts requests to an origin from being checked: it is not the service.
 * @param reason what it is
 */
export function notTheService(origin: string, reason: string): void {
  others.set(origin, reason)
}

/** Whether requests to a URL can be requests to the service. */
export function mayBeService(url: URL): boolean {
  return url.pathname.startsWith('/api/') && !others.has(url.origin)
}

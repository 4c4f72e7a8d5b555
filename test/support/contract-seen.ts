interface Shared {
  readonly seen: Set<string>
  /** Origins that are not the service, each with what it is. */
  readonly others: Map<string, string>
}

declare global {
  var contractSeen: Shared | undefined
}

/** Kept on the process, not in the module: a test may load its modules afresh, this one included. */
const { seen, others } = (globalThis.contractSeen ??= { seen: new Set(), others: new Map() })

/** Notes that a request exercised a status of an operation. */
export function record(operationId: string, status: number): void {
  seen.add(`${operationId} ${status}`)
}

/** What was exercised since this process began: `operationId status`. */
export function exercised(): readonly string[] {
  return [...seen]
}

/**
 * Excepts requests to an origin from being checked: it is not the service. Returns a function that ends the exception,
 * because a later test file of the same process may get the port for the service itself.
 * @param reason what it is
 */
export function notTheService(origin: string, reason: string): () => void {
  others.set(origin, reason)
  return () => void others.delete(origin)
}

/** Whether requests to a URL can be requests to the service. */
export function mayBeService(url: URL): boolean {
  return /^\/(?:api|operator)\//.test(url.pathname) && !others.has(url.origin)
}

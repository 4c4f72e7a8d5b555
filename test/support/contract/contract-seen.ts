interface Shared {
  readonly seen: Set<string>
  /** Origins that are not the service, each with a description. */
  readonly others: Map<string, string>
}

declare global {
  var contractSeen: Shared | undefined
}

/** Kept on the global object and not in the module, because a test may load modules again, this one included. */
const { seen, others } = (globalThis.contractSeen ??= { seen: new Set(), others: new Map() })

/** Records that a request exercised a status of an operation. */
export function record(operationId: string, status: number): void {
  seen.add(`${operationId} ${status}`)
}

/** What was exercised since this process started, as `operationId status`. */
export function exercised(): readonly string[] {
  return [...seen]
}

/**
 * Excludes requests to an origin from checks, because it is not the service. Returns a function that ends the
 * exclusion, because a later test file of the same process may get the port for the service itself.
 * @param reason what the origin is
 */
export function notTheService(origin: string, reason: string): () => void {
  others.set(origin, reason)
  return () => void others.delete(origin)
}

/** Whether requests to a URL can be requests to the service. */
export function mayBeService(url: URL): boolean {
  return /^\/(?:api|operator)\//.test(url.pathname) && !others.has(url.origin)
}

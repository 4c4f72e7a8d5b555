/**
 * Matches the names of this very machine: `localhost`, the addresses 127.0.0.0/8, and `::1`, as browsers write them. No
 * name that ends like one of them matches, because a stranger's name server may answer for it with any address.
 */
const LOOPBACK_NAME = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|\[::1\])$/i

/** Matches the port in a `Host` header, which may be empty. */
const PORT = /:\d{0,5}$/

/** Whether the name of a host, as in a URL, can only be this machine. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_NAME.test(hostname)
}

/** Whether a `Host` header names this machine, with or without a port. A request without the header does not. */
export function isLoopbackHost(header: string | null | undefined): boolean {
  return typeof header === 'string' && isLoopbackName(header.replace(PORT, ''))
}

import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isPortFree } from '../local/free-port.ts'

const POLL_MS = 100
const ATTEMPT_TIMEOUT_MS = 5_000

/** The preferred port when it is free, else any free one of the loopback interface. */
export async function portNear(preferred: number): Promise<number> {
  if (preferred <= 65_535 && (await isPortFree(preferred))) return preferred
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : preferred)
      })
    })
  })
}

/** Waits until the URL responds with any status. False: the signal came first. */
export async function waitUntilServing(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await answers(`${url}/api/v1/openapi.json`, signal)) return true
    await pause(POLL_MS)
  }
  return false
}

/** Whether an HTTP request gets a response in time, with any status. */
export async function answers(
  url: string,
  signal: AbortSignal,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await response.body?.cancel()
    return true
  } catch {
    return false
  }
}

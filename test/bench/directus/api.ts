import { setTimeout as pause } from 'node:timers/promises'

/** Calls Directus's API. Throws for any answer but a success, with the text of that answer. */
export type CallDirectus = (path: string, body: unknown) => Promise<void>

/** @param token the token of the administrator */
export function directusApi(origin: string, token: string): CallDirectus {
  return async (path, body) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok)
      throw new Error(`Directus answered ${path} with ${response.status}: ${text.slice(0, 500)}`)
  }
}

const POLL_MS = 250

/** Waits until Directus answers; false when it has not by the deadline. */
export async function directusAnswers(origin: string, timeoutMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + timeoutMs
  while (performance.now() < giveUpAt) {
    const answer = await fetch(`${origin}/server/ping`).catch(() => null)
    if (answer?.ok === true) return true
    await pause(POLL_MS)
  }
  return false
}

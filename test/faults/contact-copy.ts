import { setTimeout as pause } from 'node:timers/promises'
import type { ApiRow } from '../support/walk.ts'
import { walk } from '../support/walk.ts'

const CONTACTS = '/api/v1/contacts?limit=500'

/** A copy of an organization's contacts, kept as a client keeps one: by what changed since it last asked. */
export interface ContactCopy {
  /** When each contact was changed, by its id. */
  readonly rows: ReadonlyMap<string, string>
  /** Takes what has changed. Throws when the service does not answer, and may be called again. */
  refresh(origin: string): Promise<void>
}

/** A copy that is empty until it is refreshed. */
export function createContactCopy(key: string): ContactCopy {
  const rows = new Map<string, string>()
  let lastAt = ''
  return {
    rows,
    async refresh(origin) {
      const after = lastAt === '' ? '' : `&updatedAfter=${encodeURIComponent(lastAt)}`
      const { rows: changed } = await walk(origin, `${CONTACTS}${after}`, key)
      for (const { contactId, updatedAt } of changed) {
        rows.set(String(contactId), String(updatedAt))
        if (String(updatedAt) > lastAt) lastAt = String(updatedAt)
      }
    },
  }
}

/** The contacts in which a copy differs from the service: missing there, missing here, or of another instant. */
export function differences(copy: ContactCopy, contacts: readonly ApiRow[]): readonly string[] {
  const now = new Map(contacts.map(({ contactId, updatedAt }) => [String(contactId), String(updatedAt)]))
  return [...new Set([...now.keys(), ...copy.rows.keys()])].filter((id) => now.get(id) !== copy.rows.get(id))
}

/** Something that is done again and again. `stop` waits until it is done once more, and rejects when one try did. */
export interface Repeated {
  stop(): Promise<void>
}

/** Does something, waits, and does it again. */
export function repeat(pauseMs: number, once: () => Promise<void>): Repeated {
  const state = { isStopping: false }
  const running = (async () => {
    while (!state.isStopping) {
      await once()
      await pause(pauseMs)
    }
    await once()
  })()
  // It is looked at when it is stopped.
  running.catch(() => undefined)
  return {
    stop() {
      state.isStopping = true
      return running
    },
  }
}

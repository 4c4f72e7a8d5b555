import { describe, expect, test } from 'vitest'
import { createStorage, type Executor } from '../../adapters/sqlite/index.ts'
import { runImport } from '../../domain/imports/sessions.ts'
import type { ImportWorld } from '../../domain/imports/check.ts'
import { sweepImports } from '../../domain/imports/write.ts'
import type { ImportOutcome } from '../../domain/imports/file/transfer.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import type { Log } from '../../ports/platform.ts'
import { fakeClock, testSecrets } from '../support/runner/fakes.ts'
import { thorough } from '../support/runner/thorough.ts'
import { importWorld, ndjsonBytes, sourceOf } from '../support/data/imports.ts'
import { createScratchStorage, type ScratchStorage } from '../support/scratch/scratch-storage.ts'

// The process that imports ends at one of its calls of the storage, before or after the call takes effect. Then the
// import is continued by the sweep, by the same command run again, or by both.

const acme = newOrganization('acme', 'Acme')
/** From one deadly call to the next. */
const STEP = thorough(1, 5)
const silent: Log = { info: () => undefined, error: () => undefined }

class Killed extends Error {}

/**
 * A storage at one of whose calls the process ends. `isMade` says whether that call takes effect; its answer never
 * arrives.
 */
function dyingAt(
  storage: ScratchStorage,
  deadly: number,
  isMade: boolean,
): { executor: Executor; calls: () => number } {
  let calls = 0
  return {
    calls: () => calls,
    executor: {
      async batch(statements) {
        calls += 1
        if (calls > deadly || (calls === deadly && !isMade)) throw new Killed()
        const results = await storage.database.batch(statements)
        if (calls === deadly) throw new Killed()
        return results
      },
    },
  }
}

const secrets = () => testSecrets()
const clock = fakeClock()

function toolsOf() {
  return {
    passwords: {
      hash: async (password: string) => `hash of ${password}`,
      verify: async (password: string, stored: string) => stored === `hash of ${password}`,
    },
    clock,
    secrets,
  }
}

function worldOf(storage: Parameters<typeof importWorld>[0]): ImportWorld {
  return importWorld(storage, acme, toolsOf())
}

function sweepOf(storage: ScratchStorage): Promise<void> {
  const openImports = async () => worldOf(storage)
  return sweepImports({ imports: storage.importDirectory, openImports, clock, log: silent })
}

/** So long that a few rows make three parts. */
const filler = 'x'.repeat(60_000)
const kinds: Readonly<Record<string, { readonly lines: readonly object[]; readonly table: string }>> = {
  contacts: {
    table: 'contacts',
    lines: Array.from({ length: 10 }, (_, index) => ({
      contactId: `c-${index}`,
      source: filler,
      tags: [],
      emailConsent: 'unknown',
      smsConsent: 'unknown',
      createdAt: '2026-01-01T00:00:00Z',
    })),
  },
  // Rows without ids are matched when they are written.
  'a list of contacts': {
    table: 'contacts',
    lines: Array.from({ length: 10 }, (_, index) => ({ email: `p-${index}@example.com`, source: filler })),
  },
  // Imports of forms stage drafts, which are completed when they are written.
  forms: {
    table: 'forms',
    lines: Array.from({ length: 10 }, (_, index) => ({
      formId: `f-${index}`,
      name: filler,
      isPublished: true,
      password: 'open sesame',
      notificationEmails: [],
      fields: [],
    })),
  },
}

const KILLED_AT = '2026-06-15T12:00:00.000Z'

async function openStorage(): Promise<ScratchStorage> {
  clock.set(KILLED_AT)
  const storage = createScratchStorage({ clock })
  await storage.administration.saveOrganization(acme)
  return storage
}

describe.each(Object.entries(kinds))('%s', (name, { lines, table }) => {
  const isList = name === 'a list of contacts'
  const file = {
    kind: table,
    format: 'ndjson',
    source: sourceOf(ndjsonBytes(lines)),
    onProgress: () => undefined,
  } as const

  const count = async (storage: ScratchStorage, of = table): Promise<unknown> => {
    const [found] = await storage.database.batch([
      { sql: `select count(*) as count from ${of}`, parameters: [] },
    ])
    return found?.rows[0]?.count
  }

  const states = async (storage: ScratchStorage) =>
    (await storage.imports('acme').list(null, 10)).map(({ state }) => state)

  async function killed(
    deadly: number,
    isMade: boolean,
  ): Promise<{ storage: ScratchStorage; isOver: boolean }> {
    const storage = await openStorage()
    const { executor, calls } = dyingAt(storage, deadly, isMade)
    const outcome = await runImport(file, worldOf(createStorage({ executor, clock }))).catch(
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error
        return null
      },
    )
    expect(calls()).toBeLessThan(60)
    return { storage, isOver: outcome !== null }
  }

  /** After any interruption, another import of the file ends with every row stored and counted once. */
  async function again(storage: ScratchStorage, changedBefore: number): Promise<void> {
    const outcome: ImportOutcome = await runImport(file, worldOf(storage))
    const changed = lines.length - changedBefore
    expect(outcome).toEqual({
      kind: 'imported',
      read: lines.length,
      changed,
      unchanged: lines.length - changed,
      skipped: 0,
      fresh: isList ? changed : null,
      merged: isList ? 0 : null,
      warnings: [],
    })
    expect(await count(storage)).toBe(lines.length)
    await sweepOf(storage)
    for (const staging of ['import_chunks', 'import_keys', 'import_parts', 'import_contacts'])
      expect(await count(storage, staging)).toBe(0)
  }

  test.each([false, true])('killed at calls of the storage, made: %s', async (isMade) => {
    let isOver = false
    for (let deadly = isMade ? 1 : 1 + (1 % STEP); !isOver; deadly += STEP) {
      const first = await killed(deadly, isMade)
      isOver = first.isOver
      const storage = createScratchStorage({ clock, image: first.storage.database.image() })
      const [state] = await states(first.storage)
      if (state === undefined || state === 'receiving') expect(await count(first.storage)).toBe(0)
      // Running the same command continues the import and also counts the rows written before. If the import was done,
      // it starts a new one.
      await again(first.storage, state === 'done' ? lines.length : 0)

      // The same remains of the killed process again, but now the sweep continues the import.
      clock.set(KILLED_AT)
      clock.advance(60_000)
      await sweepOf(storage)
      const isDecided = state === 'writing' || state === 'done'
      expect(await count(storage), `call ${deadly}`).toBe(isDecided ? lines.length : 0)
      if (isDecided) expect(await states(storage)).toEqual(['done'])
      await again(storage, isDecided ? lines.length : 0)
    }
  })

  test('an import that is abandoned leaves nothing, and is forgotten', async () => {
    const { storage } = await killed(6, true)
    expect(await states(storage)).toEqual(['receiving'])
    clock.advance(23 * 3_600_000)
    await sweepOf(storage)
    expect(await states(storage)).toEqual(['receiving'])
    clock.advance(3_600_000)
    await sweepOf(storage)
    expect(await states(storage)).toEqual(['aborted'])
    for (const staging of ['import_chunks', 'import_keys', 'import_parts', 'import_contacts', table])
      expect(await count(storage, staging)).toBe(0)
    clock.advance(24 * 3_600_000)
    await sweepOf(storage)
    expect(await states(storage)).toEqual([])
  })
})

test('an import that the sweep cannot go on with hinders no other', async () => {
  const storage = await openStorage()
  const file = kinds.contacts
  if (file === undefined) throw new Error('There are contacts')
  await storage.administration.saveOrganization(newOrganization('other', 'Other'))
  for (const organization of [acme, newOrganization('other', 'Other')]) {
    const world = importWorld(storage, organization, toolsOf())
    // Call 11 decides the import: one call opens it, two receive each of three parts, and three check the whole file.
    const { executor } = dyingAt(storage, 11, true)
    const dying = createStorage({ executor, clock })
    await runImport(
      {
        kind: 'contacts',
        format: 'ndjson',
        source: sourceOf(ndjsonBytes(file.lines)),
        onProgress: () => undefined,
      },
      importWorld(dying, organization, toolsOf()),
    ).catch(() => null)
    expect((await world.sessions.list(null, 1))[0]?.state).toBe('writing')
  }
  clock.advance(60_000)
  const failures: unknown[] = []
  await sweepImports({
    imports: storage.importDirectory,
    openImports: async (organizationId) => {
      if (organizationId === 'acme') throw new Error('This one fails')
      return importWorld(storage, newOrganization('other', 'Other'), toolsOf())
    },
    clock,
    log: { ...silent, error: (event, fields) => failures.push([event, fields.organizationId]) },
  })
  expect(failures).toEqual([['import_sweep_failed', 'acme']])
  expect((await storage.imports('other').list(null, 1))[0]?.state).toBe('done')
})

import { expect, it } from 'vitest'
import { demoOrganizations } from '../../host-worker/dev/demo/index.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { seededRandom, testSecrets } from '../../test/support/runner/fakes.ts'
import { importInParts, importWorld, ndjsonBytes, rowOfLine } from '../../test/support/data/imports.ts'
import { createScratchPos } from '../../test/support/scratch/scratch-pos.ts'
import { createScratchStorage, type ScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { migratedImage, tablesOf } from '../../test/support/databases/migrated-image.ts'
import type { Organization, PosSourceTie } from '../../ports/organizations.ts'
import { importContext } from './check.ts'
import { targetIn } from './sessions.ts'
import { importKindNames, isKeptAtPos, kindOf, type ImportTools } from './kinds.ts'

// Whatever the order of the lines and wherever the file is split, an import stores what an upsert of its rows stores.

const clock = { nowMs: () => Date.UTC(2026, 10, 1) }
const tie: PosSourceTie = { kind: 'legacy_vendor', tenant: 'bubble' }
const acme: Organization = { ...organization('acme'), posSource: tie }
const secrets = () => testSecrets()
const tools: ImportTools = {
  passwords: { hash: async (password) => `hash of ${password}`, verify: async () => false },
  clock,
  secrets,
}

const LINES_MAX = 40
const run = {
  runId: 'run-1',
  automationId: 'demo-claim-received',
  status: 'completed',
  stepCount: 3,
  startedAt: '2026-01-01T00:00:00Z',
}
/**
 * Some lines of each kind, and all contacts, because lines of other kinds refer to them. A kind comes before those that
 * refer to it.
 */
const linesOf = new Map(
  [
    ...demoOrganizations.slice(0, 2).flatMap(({ lines }) => lines),
    ['automation-runs', () => [run]] as const,
  ].map(([kind, lines]) => [kind, [...lines()].slice(0, kind === 'contacts' ? Infinity : LINES_MAX)]),
)
const order = [...linesOf.keys()]

function shuffled<Value>(values: readonly Value[], next: () => number): readonly Value[] {
  return values
    .map((value) => ({ value, at: next() }))
    .sort((left, right) => left.at - right.at)
    .map(({ value }) => value)
}

async function openStorage(): Promise<ScratchStorage> {
  const storage = createScratchStorage({ clock })
  await storage.administration.saveOrganization(acme)
  return storage
}

/** Columns that show when a row was written, or that list other rows in the order in which they arrived. */
const ORDERED = /^(updated_at|events_changed_at|first_year_events)$/

/** Every table of resources, row by row. */
async function contents({ database }: ScratchStorage): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = tablesOf(migratedImage()).filter((table) => !/^(import_|organizations$)/.test(table))
  const results = await database.batch(
    tables.map((table) => ({ sql: `select * from ${table}`, parameters: [] })),
  )
  const textOf = (row: object) =>
    JSON.stringify(Object.entries(row).filter(([column]) => !ORDERED.test(column)))
  return new Map(tables.map((table, index) => [table, (results[index]?.rows ?? []).map(textOf).sort()]))
}

async function imported(seed: number): Promise<readonly [ScratchStorage, unknown]> {
  const next = seededRandom(seed)
  const storage = await openStorage()
  const pos = createScratchPos()
  const world = importWorld(storage, acme, tools, () => ({ writer: pos.writer(tie) }))
  for (const kind of order) {
    const given = shuffled(linesOf.get(kind) ?? [], next)
    const importing = async (rows: readonly object[], isDryRun = false) => {
      const bytes = ndjsonBytes(rows)
      const partBytes = 200 + Math.floor(next() * bytes.length)
      return importInParts(targetIn(world), { kind, format: 'ndjson', isDryRun }, bytes, partBytes)
    }
    // Some rows are there before, and a dry run says how many are not.
    const some = seed === 3 ? Math.floor(given.length / 2) : 0
    if (some > 0) await importing(given.slice(0, some))
    const lines = given.length
    const counts = isKeptAtPos(kind)
      ? { changedRows: 0, writtenRows: 0 }
      : { changedRows: lines - some, writtenRows: lines }
    expect(await importing(given, true), kind).toMatchObject({
      session: { state: 'checked', readRows: lines, ...counts },
    })
    expect(await importing(given), kind).toMatchObject({
      session: { state: 'done', readRows: lines, changedRows: lines - some },
    })
  }
  return [storage, await posRows(pos)]
}

async function upserted(): Promise<readonly [ScratchStorage, unknown]> {
  const storage = await openStorage()
  const pos = createScratchPos()
  const context = importContext(acme)
  for (const name of order) {
    const kind = kindOf(name, tools)
    const rows = await Promise.all(
      (linesOf.get(name) ?? []).map((line) => rowOfLine({ ...line }, kind, context)),
    )
    await (isKeptAtPos(name) ? pos.writer(tie) : storage.tenant('acme')).upsert(name, rows)
  }
  return [storage, await posRows(pos)]
}

/** A page of the sales that the point of sale holds. */
async function posRows(pos: ReturnType<typeof createScratchPos>): Promise<unknown> {
  const source = pos.open(tie)
  const order = { field: 'completedAt', idField: 'transactionId', direction: 'descending' } as const
  return source.page({
    kind: 'page',
    collection: 'pos-transactions',
    select: ['transactionId', 'totalCents', 'lineItems'],
    where: [],
    order,
    after: null,
    limit: LINES_MAX,
  })
}

it('tries every kind', () => {
  expect(importKindNames.filter((name) => !order.includes(name))).toEqual([])
})

it('stores the same as an upsert, in any order of the lines and wherever the file is cut', async () => {
  const [direct, directPos] = await upserted()
  const expected = await contents(direct)
  expect(expected.size).toBeGreaterThan(importKindNames.length / 2)
  for (const seed of [1, 2, 3]) {
    const [storage, pos] = await imported(seed)
    const found = await contents(storage)
    for (const [table, rows] of expected)
      // An upsert makes no versions of forms, and an import one of each.
      if (table === 'form_versions')
        expect(found.get(table)).toHaveLength(expected.get('forms')?.length ?? NaN)
      else expect(found.get(table), `${table}, seed ${seed}`).toEqual(rows)
    expect(pos).toEqual(directPos)
  }
})

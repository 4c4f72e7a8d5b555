import { beforeEach, describe, expect, it } from 'vitest'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import {
  importInParts,
  importWorld,
  ndjsonBytes,
  sourceOf,
  toolsWithoutSecrets,
} from '../../test/support/data/imports.ts'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { utf8 } from '../text/encoding.ts'
import {
  abortImport,
  commitImport,
  openImport,
  receivePart,
  runImport,
  targetIn,
  type ImportAnswer,
} from './sessions.ts'
import type { ImportWorld } from './check.ts'
import { digestOfParts, sha256, IDLE_MS, FILE_PROBLEMS_MAX } from './file/transfer.ts'

let clock = fakeClock()
let storage = createScratchStorage({ clock })
let world: ImportWorld
let other: ImportWorld

beforeEach(async () => {
  clock = fakeClock()
  storage = createScratchStorage({ clock })
  for (const id of ['acme', 'other']) await storage.administration.saveOrganization(organization(id))
  const tools = toolsWithoutSecrets(clock)
  world = importWorld(storage, organization('acme'), tools)
  other = importWorld(storage, organization('other'), tools)
})

const line = (contactId: string) =>
  `${JSON.stringify({ contactId, tags: [], emailConsent: 'unknown', smsConsent: 'unknown', createdAt: '2026-01-01T00:00:00Z' })}\n`

/** A file in parts, and the session that is open for it. */
async function open(texts: readonly string[], kind = 'contacts', of = world) {
  const parts = await Promise.all(
    texts.map(async (text, index) => {
      const bytes = utf8(text)
      return { part: index + 1, bytes, digest: await sha256(bytes) }
    }),
  )
  const digest = await digestOfParts(parts.map((part) => part.digest))
  const totalBytes = parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const opened = await openImport({ kind, format: 'ndjson', totalBytes, digest }, of)
  const importId = opened.kind === 'session' ? opened.session.importId : ''
  return { parts, importId, opened }
}

const told = (answer: ImportAnswer) => ('message' in answer ? answer.message : answer.kind)

const contactIds = async () =>
  (
    await storage.database.batch([{ sql: 'select contact_id from contacts order by 1', parameters: [] }])
  ).flatMap(({ rows }) => rows.map((row) => row.contact_id))

const staged = async () => {
  const tables = ['import_chunks', 'import_keys', 'import_parts']
  const results = await storage.database.batch(
    tables.map((table) => ({ sql: `select count(*) as count from ${table}`, parameters: [] })),
  )
  return results.map(({ rows: [row] }) => row?.count)
}

describe('parts', () => {
  it('that are cut anywhere are put together, and nothing is written before the commit', async () => {
    const text = line('c-1') + line('c-2') + line('c-3')
    const { parts, importId } = await open([text.slice(0, 10), text.slice(10, 150), text.slice(150)])
    for (const part of parts) {
      expect(told(await receivePart(importId, part, world))).toBe('session')
      expect(await contactIds()).toEqual([])
    }
    const done = await commitImport(importId, 1_000, world)
    expect(done).toMatchObject({ session: { state: 'done', readRows: 3, writtenRows: 3, changedRows: 3 } })
    expect(await contactIds()).toEqual(['c-1', 'c-2', 'c-3'])
    expect(await staged()).toEqual([0, 0, 0])
  })

  it('out of order, doubled, changed or too long are told apart', async () => {
    const { parts, importId } = await open([line('c-1'), line('c-2'), line('c-3')])
    const [first, second, third] = parts
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three')
    expect(told(await receivePart(importId, second, world))).toMatch(
      /^Part 2 is out of order: the next one is part 1/,
    )
    await receivePart(importId, first, world)
    expect(await receivePart(importId, first, world)).toMatchObject({ session: { nextPart: 2, readRows: 1 } })
    expect(told(await receivePart(importId, { ...second, part: 1 }, world))).toMatch(
      /^Part 1 was taken before, with other content/,
    )
    expect(await receivePart(importId, { ...second, digest: first.digest }, world)).toMatchObject({
      kind: 'damaged',
    })
    const long = utf8(line('c-2').repeat(3))
    const tooLong = { part: 2, bytes: long, digest: await sha256(long) }
    expect(told(await receivePart(importId, tooLong, world))).toMatch(
      /^Part 2 has \d+ bytes, but of \d+ bytes in all only \d+ are missing/,
    )
    const nothing = { part: 2, bytes: utf8(''), digest: await sha256(utf8('')) }
    expect(told(await receivePart(importId, nothing, world))).toBe('Part 2 is empty.')
    expect(told(await commitImport(importId, 1_000, world))).toMatch(/part 2 is missing/)
    await receivePart(importId, second, world)
    await receivePart(importId, third, world)
    expect(told(await receivePart(importId, { ...third, part: 4 }, world))).toMatch(
      /part 5|only 0 are missing|4 has/,
    )
    expect(await commitImport(importId, 1_000, world)).toMatchObject({
      session: { state: 'done', changedRows: 3 },
    })
    expect(await receivePart(importId, third, world)).toMatchObject({ session: { state: 'done' } })
  })

  it('that two senders send at the same time are taken once', async () => {
    const { parts, importId } = await open([line('c-1'), line('c-2')])
    for (const part of parts)
      await Promise.all([receivePart(importId, part, world), receivePart(importId, part, world)])
    const answers = await Promise.all([
      commitImport(importId, 1_000, world),
      commitImport(importId, 1_000, world),
    ])
    for (const answer of answers)
      expect(answer).toMatchObject({ session: { state: 'done', readRows: 2, changedRows: 2 } })
  })

  it('of another file than was opened end the import', async () => {
    const { parts, importId } = await open([line('c-1')])
    const [part] = parts
    const bytes = utf8(line('c-2'))
    expect(bytes.length).toBe(part?.bytes.length)
    await receivePart(importId, { part: 1, bytes, digest: await sha256(bytes) }, world)
    expect(told(await commitImport(importId, 1_000, world))).toMatch(/^What was sent is not the file/)
    expect(await contactIds()).toEqual([])
  })

  it('of an import of another organization, or of none, are refused', async () => {
    const { parts, importId } = await open([line('c-1')])
    const [part] = parts
    if (part === undefined) throw new Error('There is one')
    for (const answer of [
      await receivePart(importId, part, other),
      await commitImport(importId, 1_000, other),
      await abortImport(importId, other),
      await receivePart('imp_none', part, world),
    ])
      expect(answer).toEqual({ kind: 'missing' })
  })
})

describe('problems', () => {
  it('are told with each part, and end the import when they are many', async () => {
    const bad = '{"nope":1}\n'
    const { parts, importId } = await open([line('c-1') + bad, bad.repeat(FILE_PROBLEMS_MAX), line('c-2')])
    const [first, second, third] = parts
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three')
    const one = await receivePart(importId, first, world)
    expect(one).toMatchObject({
      session: { state: 'receiving', problems: [{ line: 2, field: 'nope' }, { field: 'contactId' }] },
    })
    const many = await receivePart(importId, second, world)
    expect(many.kind === 'session' && many.session.problems).toHaveLength(FILE_PROBLEMS_MAX)
    expect(many).toMatchObject({ session: { state: 'refused' } })
    expect(told(await receivePart(importId, third, world))).toMatch(/refused/)
    expect(await commitImport(importId, 1_000, world)).toMatchObject({ session: { state: 'refused' } })
    expect(await contactIds()).toEqual([])
    expect(await staged()).toEqual([0, 0, 0])
  })

  it('of parts and of repeated ids are told together, in the order of the lines', async () => {
    const text = `${line('c-1')}${line('c-2')}{"contactId":"c-3","nope":1}\n${line('c-2')}${line('c-1')}`
    const answer = await importInParts(
      targetIn(world),
      { kind: 'contacts', format: 'ndjson' },
      utf8(text),
      100,
    )
    const problems = 'session' in answer ? answer.session.problems : []
    expect(problems.map(({ line: number, message }) => `${number} ${message}`)).toEqual([
      expect.stringMatching(/^3 is not a field/),
      '4 is the same as in line 2',
      '5 is the same as in line 1',
    ])
  })

  it('name every line of an id that stands in a file many times', async () => {
    const text = Array.from({ length: 80 }, (_, index) => line(`c-${index % 10}`)).join('')
    const answer = await importInParts(
      targetIn(world),
      { kind: 'contacts', format: 'ndjson' },
      utf8(text),
      700,
    )
    const problems = 'session' in answer ? answer.session.problems : []
    expect(problems).toHaveLength(FILE_PROBLEMS_MAX)
    for (const { line: number, message } of problems)
      expect(message).toBe(`is the same as in line ${((number - 1) % 10) + 1}`)
  })
})

describe('two imports of a kind', () => {
  it('never mix: another file waits until the first is idle, and then takes its place', async () => {
    const first = await open([line('c-1'), line('c-2')])
    const [part] = first.parts
    if (part === undefined) throw new Error('There are two')
    await receivePart(first.importId, part, world)
    const refused = await open([line('c-3')])
    expect(told(refused.opened)).toMatch(
      /^Another file of contacts is being imported into acme \(imp_\w+\)\. Wait/,
    )
    expect(told((await open([line('c-3')], 'contacts', other)).opened)).toBe('session')
    clock.advance(IDLE_MS)
    const second = await open([line('c-3')])
    expect(told(second.opened)).toBe('session')
    expect(told(await receivePart(first.importId, { ...part, part: 2 }, world))).toBe(
      'The import was given up.',
    )
  })

  it('of the same file are one, which is taken up where it stopped', async () => {
    const texts = [line('c-1'), line('c-2')]
    const first = await open(texts)
    const [part] = first.parts
    if (part === undefined) throw new Error('There are two')
    await receivePart(first.importId, part, world)
    const again = await open(texts)
    expect(again.importId).toBe(first.importId)
    expect(again.opened).toMatchObject({ session: { nextPart: 2, receivedBytes: part.bytes.length } })
  })

  it('wait for one that is being written, which cannot be given up', async () => {
    const { parts, importId } = await open([line('c-1')])
    for (const part of parts) await receivePart(importId, part, world)
    expect(await commitImport(importId, 0, world)).toMatchObject({
      session: { state: 'writing', writtenRows: 0 },
    })
    clock.advance(IDLE_MS * 10)
    expect(told((await open([line('c-2')])).opened)).toMatch(/Wait until it is written\.$/)
    expect(told(await abortImport(importId, world))).toBe(
      'The import is being written and cannot be given up.',
    )
    expect(await commitImport(importId, 1_000, world)).toMatchObject({
      session: { state: 'done', changedRows: 1 },
    })
    expect(told(await abortImport(importId, world))).toBe('The import is done and cannot be given up.')
  })
})

it('a form id that another organization takes while an import runs is refused with its line', async () => {
  const form = (formId: string) =>
    `${JSON.stringify({ formId, name: 'F', isPublished: true, notificationEmails: [], fields: [] })}\n`
  const mine = await open([form('f-1') + form('f-2')], 'forms')
  const theirs = await open([form('f-2')], 'forms', other)
  for (const part of mine.parts) await receivePart(mine.importId, part, world)
  for (const part of theirs.parts) await receivePart(theirs.importId, part, other)
  expect(await commitImport(theirs.importId, 0, other)).toMatchObject({ session: { state: 'writing' } })
  expect(told(await commitImport(mine.importId, 1_000, world))).toMatch(
    /^Another organization's import of forms/,
  )
  expect(await commitImport(theirs.importId, 1_000, other)).toMatchObject({ session: { state: 'done' } })
  expect(await commitImport(mine.importId, 1_000, world)).toMatchObject({
    session: {
      state: 'refused',
      problems: [{ line: 2, field: 'formId', message: 'belongs to another organization' }],
    },
  })
})

it('a file without a row, and one without a byte, are imports of nothing', async () => {
  for (const text of ['', '\n\n']) {
    const file = {
      kind: 'contacts',
      format: 'ndjson',
      source: sourceOf(utf8(text)),
      onProgress: () => undefined,
    } as const
    expect(await runImport(file, world)).toEqual({
      kind: 'imported',
      read: 0,
      changed: 0,
      unchanged: 0,
      skipped: 0,
      fresh: null,
      merged: null,
      warnings: ['The file holds no rows.'],
    })
  }
})

it('a kind of a point of sale is refused where there is none, before anything is sent', async () => {
  const bytes = ndjsonBytes([{ customerId: 'c' }])
  const file = {
    kind: 'pos-customers',
    format: 'ndjson',
    source: sourceOf(bytes),
    onProgress: () => undefined,
  } as const
  expect(await runImport(file, world)).toEqual({
    kind: 'stopped',
    message: 'There is no point of sale here.',
  })
})

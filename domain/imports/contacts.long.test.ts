import { expect, it } from 'vitest'
import { OWN } from '../../test/support/scratch/scratch-places.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { seededRandom } from '../../test/support/runner/fakes.ts'
import {
  importInParts,
  importWorld,
  ndjsonBytes,
  sourceOf,
  toolsWithoutSecrets,
} from '../../test/support/data/imports.ts'
import { createScratchStorage, type ScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { relayed } from '../../ports/relayed.ts'
import type { ImportSession, ImportSessions, MatchKeys } from '../../ports/import-sessions.ts'
import { utf8 } from '../text/encoding.ts'
import type { TransferAnswer } from './file/transfer.ts'
import { placeInFile } from './contacts.ts'
import { commitImport, runImport, targetIn } from './sessions.ts'
import { storedFields } from '../record/resource.ts'
import { contacts } from '../resources/contacts.ts'
import { triedPlaces } from '../../test/support/runner/thorough.ts'

// Lists of contacts, compared with a model that goes through the rows one by one and looks at every contact for each.

type Row = Readonly<Record<string, unknown>>
interface Known {
  contactId: string | null
  createdAt: string
  attributes: Record<string, string>
  [field: string]: unknown
}

let nowMs = Date.UTC(2026, 5, 1)
const clock = { nowMs: () => nowMs }
const FIELDS = ['firstName', 'lastName', 'email', 'phone', 'tags', 'emailConsent', 'createdAt'] as const

/** What a list makes of contacts, and how it is counted. */
class Model {
  readonly known: Known[] = []

  import(rows: readonly Row[], now: string) {
    const met = new Map<Known, 'new' | 'changed' | 'unchanged'>()
    const rowsOf = new Map<Known, Row[]>()
    const first = new Map<Known, string>()
    let merged = 0
    const apply = (found: Known, row: Row) => {
      for (const field of FIELDS) if ((row[field] ?? '') !== '') Object.assign(found, { [field]: row[field] })
      for (const [name, value] of Object.entries((row.attributes ?? {}) as Record<string, string>))
        found.attributes[name] = value
      for (const [name, value] of Object.entries(row))
        if (name.startsWith('attributes.') && typeof value === 'string' && value !== '')
          found.attributes[name.slice('attributes.'.length)] = value
    }
    for (const row of rows) {
      // Whom this file has made without an id, and this row gives one.
      const made = row.contactId === undefined ? undefined : this.#find({ ...row, contactId: undefined })
      const isTaken = made !== undefined && made.contactId === null && met.get(made) === 'new'
      const earlierRows = isTaken ? (rowsOf.get(made) ?? []) : []
      if (isTaken) {
        this.known.splice(this.known.indexOf(made), 1)
        met.delete(made)
      }
      let found = this.#find(row)
      const isNew = found === undefined
      if (found === undefined) {
        found = { contactId: (row.contactId as string | undefined) ?? null, createdAt: now, attributes: {} }
        Object.assign(found, { firstName: null, lastName: null, email: null, phone: null })
        Object.assign(found, { tags: [], emailConsent: 'unknown' })
        this.known.push(found)
      }
      if (!first.has(found)) first.set(found, JSON.stringify(found))
      if (met.has(found) || isTaken) merged += 1
      if (met.has(found) && isTaken) merged += 1
      const those = [...(rowsOf.get(found) ?? []), ...earlierRows, row]
      those.sort((left, right) => rows.indexOf(left) - rows.indexOf(right))
      rowsOf.set(found, those)
      if (isTaken) Object.assign(found, JSON.parse(first.get(found) ?? ''))
      const before = isTaken ? first.get(found) : JSON.stringify(found)
      for (const one of isTaken ? those : [row]) apply(found, one)
      const state = isNew ? 'new' : JSON.stringify(found) === before ? 'unchanged' : 'changed'
      const earlier = met.get(found)
      if (earlier === undefined || (earlier === 'unchanged' && state === 'changed')) met.set(found, state)
    }
    const count = (state: string) => [...met.values()].filter((one) => one === state).length
    return { new: count('new'), changed: count('changed'), unchanged: count('unchanged'), merged }
  }

  #find({ contactId, email, phone }: Row): Known | undefined {
    if (contactId !== undefined && contactId !== null && contactId !== '')
      return this.known.find((one) => one.contactId === contactId)
    const oldest = (some: Known[]) =>
      some.reduce<Known | undefined>(
        (best, one) => (best === undefined || one.createdAt < best.createdAt ? one : best),
        undefined,
      )
    const same = (one: unknown, other: unknown) => String(one).toLowerCase() === String(other).toLowerCase()
    const byEmail = email
      ? oldest(this.known.filter((one) => one.email && same(one.email, email)))
      : undefined
    if (byEmail !== undefined || !phone) return byEmail
    return oldest(this.known.filter((one) => one.phone === phone && (!one.email || !email)))
  }
}

async function openStorage(place: 'shared' | 'own'): Promise<ScratchStorage> {
  const storage = createScratchStorage({ clock, ...(place === 'own' ? { choice: OWN } : {}) })
  await storage.administration.saveOrganization(organization('acme'))
  return storage
}

const worldOf = (storage: ScratchStorage) =>
  importWorld(storage, organization('acme'), toolsWithoutSecrets(clock))

/** A world in which a step has only as many rows as few contacts leave room for. */
function withLargeContacts(world: ReturnType<typeof worldOf>): ReturnType<typeof worldOf> {
  const sessions = relayed<ImportSessions>((ask) => ask(world.sessions), {
    findMatches: (session: ImportSession, keys: MatchKeys, bytesMax: number) =>
      world.sessions.findMatches(session, keys, bytesMax === Infinity ? bytesMax : 1_000),
  })
  return { ...world, sessions }
}

async function stored(storage: ScratchStorage): Promise<readonly Row[]> {
  const { rows } = await storage.tenant('acme').findPage({
    kind: 'page',
    collection: 'contacts',
    select: storedFields(contacts).map(([name]) => name),
    where: [],
    order: { field: 'createdAt', idField: 'contactId', direction: 'ascending' },
    after: null,
    limit: 1000,
  })
  return rows
}

/** A contact without its id where an import gave it, and without the parts of a minute. */
const shown = (one: Row, isIdShown: boolean) =>
  JSON.stringify([
    isIdShown ? one.contactId : null,
    FIELDS.map((field) => (field === 'createdAt' ? String(one[field]).slice(0, 16) : one[field])),
    Object.entries(one.attributes ?? {}).sort(),
  ])

function countsOf(answer: TransferAnswer) {
  if (!('session' in answer)) return answer
  const { state, writtenRows, changedRows, newRows, mergedRows, problems } = answer.session
  if (state !== 'done' && state !== 'checked') return { state, problems }
  const [fresh, merged] = [newRows ?? 0, mergedRows ?? 0]
  return {
    new: fresh,
    changed: changedRows - fresh,
    unchanged: writtenRows - changedRows - merged,
    merged,
  }
}

/** Rows that name few people, so that they meet: without ids mostly, each with something that finds it. */
function drawnRows(next: () => number, count: number, ids: 'some' | 'none'): readonly Row[] {
  const of = <Value>(...values: readonly Value[]) => values[Math.floor(next() * values.length)]
  const people = Math.ceil(count / 2)
  return Array.from({ length: count }, (): Row => {
    const number = () => Math.floor(next() * people)
    const row = {
      contactId: ids === 'some' && next() < 0.15 ? `c-${number() % 5}` : undefined,
      firstName: of('Ada', 'Bo', '', undefined),
      lastName: of('Lovelace', undefined),
      email: next() < 0.7 ? of(`a${number()}@example.com`, `A${number()}@Example.com`) : undefined,
      phone: next() < 0.7 ? `+1212555${String(1000 + number())}` : undefined,
      tags: of(['vip'], [], undefined, undefined),
      emailConsent: of('subscribed', undefined, undefined),
      createdAt:
        next() < 0.2 ? `2024-01-0${1 + Math.floor(next() * 5)}T0${number() % 9}:00:00.000Z` : undefined,
      attributes: of({ color: of('red', 'blue') ?? '' }, undefined, undefined),
      'attributes.birthday': of('1.2.1990', '', undefined),
    }
    const isNamed = row.contactId !== undefined || row.email !== undefined || row.phone !== undefined
    return isNamed ? row : { ...row, phone: `+1212555${String(1000 + number())}` }
  })
}

for (const place of triedPlaces(['shared', 'own'] as const))
  it.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    `three lists, one after the other, make what the model makes: ${place} %i`,
    async (seed) => {
      const next = seededRandom(seed * 7919)
      const storage = await openStorage(place)
      const model = new Model()
      for (const turn of [1, 2, 3]) {
        nowMs += 60_000
        const now = new Date(nowMs).toISOString()
        const drawn = drawnRows(next, 5 + Math.floor(next() * 50), turn === 2 ? 'some' : 'none')
        const isWhole = next() < 0.5
        // Whom an earlier part has made stays, so in parts rows with ids come first.
        const [named, nameless] = [
          drawn.filter((row) => row.contactId),
          drawn.filter((row) => !row.contactId),
        ]
        // At least one row has no id, else the file is one of complete rows.
        const rows = [...(isWhole ? drawn : [...named, ...nameless]), { email: 'list@example.com' }]
        const bytes = ndjsonBytes(rows)
        const partBytes = isWhole ? bytes.length : 300
        const world = isWhole ? worldOf(storage) : withLargeContacts(worldOf(storage))
        const before = await stored(storage)
        const commit = async (importId: string) => {
          const both = await Promise.all([1, 2].map(() => commitImport(importId, 500, world)))
          return both[0] as TransferAnswer
        }
        const importing = (isDryRun: boolean) => {
          const target = { ...targetIn(world), ...(isDryRun && { commit }) }
          return importInParts(target, { kind: 'contacts', format: 'ndjson', isDryRun }, bytes, partBytes)
        }
        // A dry run says beforehand what the import then says, also when two callers go on with it at once.
        const previewed = await importing(true)
        expect(await stored(storage)).toEqual(before)
        const answer = await importing(false)
        expect([turn, countsOf(previewed), countsOf(answer)]).toEqual([
          turn,
          ...Array<unknown>(2).fill(model.import(rows, now)),
        ])
        const found = await stored(storage)
        const isById = (one: Row) => String(one.contactId).startsWith('c-')
        expect(found.map((one) => shown(one, isById(one))).sort()).toEqual(
          model.known.map((one) => shown(one, isById(one))).sort(),
        )
        expect(new Set(found.map(({ contactId }) => contactId)).size).toBe(found.length)
      }
    },
  )

/** Rows that all have ids, each once. Some are complete, and others name a single attribute. */
function drawnById(next: () => number, names: 'all' | 'some'): readonly Row[] {
  const of = <Value>(...values: readonly Value[]) => values[Math.floor(next() * values.length)]
  const ids = Array.from({ length: 20 }, (_, index) => `c-${index}`).filter(() => next() < 0.6)
  return ids.map((contactId) => ({
    contactId,
    firstName: of('Ada', 'Bo', '', null, undefined),
    email: of('ada@example.com', 'Ada@example.com', null, undefined),
    phone: of('+12125550100', undefined),
    tags: of(['vip'], [], null, undefined),
    emailConsent: of('subscribed', null, undefined),
    createdAt: of('2024-01-01T00:00:00.000Z', undefined),
    attributes: of({ color: 'red', size: '1' }, { size: '1', color: 'red' }, {}, null, undefined),
    ...(names === 'some' && { 'attributes.color': of('red', 'blue', '', undefined) }),
  }))
}

for (const place of triedPlaces(['shared', 'own'] as const))
  it(`rows with ids are counted by a dry run as by the import: ${place}`, async () => {
    const next = seededRandom(17)
    const storage = await openStorage(place)
    const world = worldOf(storage)
    const seen = new Set<string>()
    for (let turn = 0; turn < 16; turn += 1) {
      nowMs += 60_000
      const bytes = ndjsonBytes(drawnById(next, turn % 2 === 0 ? 'all' : 'some'))
      const partBytes = next() < 0.5 ? bytes.length : 400
      const before = await stored(storage)
      const counts = []
      for (const isDryRun of [true, false]) {
        const file = { kind: 'contacts', format: 'ndjson', isDryRun } as const
        const answer = await importInParts(targetIn(world), file, bytes, partBytes)
        counts.push(countsOf(answer))
        if (isDryRun) expect(await stored(storage)).toEqual(before)
      }
      expect([turn, counts[0]]).toEqual([turn, counts[1]])
      for (const [name, count] of Object.entries(counts[1] ?? {})) if (Number(count) > 0) seen.add(name)
    }
    expect([...seen].sort()).toEqual(['changed', 'new', 'unchanged'])
  })

it('a dry run in thousands of rows finds contacts that its earlier chunks would have made or changed', async () => {
  const storage = await openStorage('shared')
  await run(storage, 'contactId,email,firstName\nc-1,old@example.com,Old\n')
  const people = Array.from({ length: 3_000 }, (_, index) => `,p${index}@example.com,,P\n`)
  const list = [
    'contactId,email,phone,firstName\n',
    // Whoever has another email now is no longer found by the one before.
    'c-1,new@example.com,+12125550001,New\n',
    ...people,
    ',P0@example.com,,Q\n',
    ',p1@example.com,+12125550002,\n',
    ',,+12125550002,Z\n',
    ',,+12125550001,\n',
    ',old@example.com,,Another\n',
  ].join('')
  const before = await stored(storage)
  const preview = await run(storage, list, { isDryRun: true })
  expect(preview).toMatchObject({ kind: 'checked', read: 3_006, fresh: 3_001, changed: 3_002, merged: 4 })
  expect(await stored(storage)).toEqual(before)
  expect(await run(storage, list)).toEqual({ ...preview, kind: 'imported' })
  const second = await run(storage, list, { isDryRun: true })
  expect(second).toMatchObject({ fresh: 0, unchanged: 3_000, merged: 4 })
  expect(await run(storage, list)).toEqual({ ...second, kind: 'imported' })
})

it('a dry run of very many rows that share a phone finds the oldest, as the import does', async () => {
  const phone = '+12125550100'
  const storage = await openStorage('shared')
  const people = Array.from({ length: 6_500 }, (_, index) => `p${index}@example.com,${phone},P,\n`)
  const list = [
    'email,phone,firstName,createdAt\n',
    ...people,
    // The oldest of all, and one that has no email until the last row.
    `old@example.com,${phone},Old,2020-01-01T00:00:00Z\n`,
    `,${phone},Older,\n`,
    `x@example.com,${phone},Young,\n`,
    ...people.slice(0, 2_500),
    `,${phone},,\n`,
    `,+12125550199,Alone,\n`,
    `y@example.com,+12125550199,,\n`,
  ].join('')
  const preview = await run(storage, list, { isDryRun: true })
  expect(preview).toMatchObject({ read: 9_006, fresh: 6_503, changed: 6_503, merged: 2_503 })
  expect(await run(storage, list)).toEqual({ ...preview, kind: 'imported' })
})

it('a dry run can be given up while it compares, and leaves nothing', async () => {
  const storage = await openStorage('own')
  const world = worldOf(storage)
  const bytes = ndjsonBytes(Array.from({ length: 5_000 }, (_, index) => ({ email: `p${index}@example.com` })))
  const target = targetIn(world)
  const commit = async (importId: string) => {
    const decided = await commitImport(importId, 0, world)
    expect(decided).toMatchObject({ session: { state: 'writing' } })
    return target.abort(importId)
  }
  const file = { kind: 'contacts', format: 'ndjson', isDryRun: true } as const
  const answer = await importInParts({ ...target, commit }, file, bytes, bytes.length)
  expect(answer).toMatchObject({ session: { state: 'aborted' } })
  const { importId } = 'session' in answer ? answer.session : { importId: '' }
  while (await world.sessions.dropStaged(importId)) continue
  expect(await stored(storage)).toEqual([])
})

const run = async (storage: ScratchStorage, text: string, more: object = {}) =>
  runImport(
    { kind: 'contacts', format: 'csv', source: sourceOf(utf8(text)), onProgress: () => undefined, ...more },
    worldOf(storage),
  )

it('rows of two steps, and of two chunks, have different places, in the order of the file', () => {
  const places = [placeInFile(0, 3), placeInFile(0, 3) + 1, placeInFile(0, 1), placeInFile(1, 10_000)]
  expect(places).toEqual([...new Set(places)].toSorted((left, right) => left - right))
})

it('rows that get the id of a later row are merged in the order of the file', async () => {
  const storage = await openStorage('shared')
  const list = [
    'contactId,email,firstName,emailConsent\n',
    ',ada@x.example,Old,subscribed\n',
    'c-1,,New,unsubscribed\n',
    'c-1,ada@x.example,,\n',
  ].join('')
  expect(await run(storage, list)).toMatchObject({ fresh: 1, merged: 2 })
  expect(await stored(storage)).toMatchObject([
    { contactId: 'c-1', email: 'ada@x.example', firstName: 'New', emailConsent: 'unsubscribed' },
  ])
})

it('a list whose rows all have ids is counted and merged, and clears nothing, as one without', async () => {
  const storage = await openStorage('shared')
  const head = 'contactId,email,firstName,lastName,attributes.a\n'
  const three = 'c-1,a@x.example,Ada,L,1\nc-2,b@x.example,Bo,,\nc-3,c@x.example,,,\n'
  expect(await run(storage, head + three)).toMatchObject({ fresh: 3, changed: 3, unchanged: 0, merged: 0 })
  const before = await stored(storage)
  const blank = 'c-1,,,,\nc-1,a@x.example,,,\nc-2,b@x.example,,,\n'
  expect(await run(storage, head + blank)).toMatchObject({ fresh: 0, changed: 0, unchanged: 2, merged: 1 })
  expect(await run(storage, 'contactId,email\nc-1,\n')).toMatchObject({ fresh: 0, changed: 0, unchanged: 1 })
  expect(await stored(storage)).toEqual(before)
  const twice = 'c-1,,Eve,,\nc-4,,D,,\nc-1,,,M,\nc-4,d@x.example,,,\n'
  expect(await run(storage, head + twice)).toMatchObject({ fresh: 1, changed: 2, unchanged: 0, merged: 2 })
  expect(
    (await stored(storage)).map((one) => [one.contactId, one.firstName, one.lastName, one.email]),
  ).toEqual(
    expect.arrayContaining([
      ['c-1', 'Eve', 'M', 'a@x.example'],
      ['c-4', 'D', null, 'd@x.example'],
    ]),
  )
})

it('thousands of rows with ids are merged chunks apart, also by a dry run', async () => {
  const storage = await openStorage('shared')
  const rows = Array.from({ length: 6_000 }, (_, index) => `c-${index},p${index}@x.example,P\n`)
  const more = ['c-1,,P\n', 'c-2,,\n', 'c-1,,Q\n', ...rows.slice(3, 6)]
  const list = ['contactId,email,firstName\n', ...rows, ...more].join('')
  const preview = await run(storage, list, { isDryRun: true })
  expect(preview).toMatchObject({ read: 6_006, fresh: 6_000, changed: 6_000, unchanged: 0, merged: 6 })
  expect(await run(storage, list)).toEqual({ ...preview, kind: 'imported' })
  const again = await run(storage, list, { isDryRun: true })
  expect(again).toMatchObject({ fresh: 0, unchanged: 5_999, changed: 1, merged: 6 })
})

it('a row with an id is of whom a row without one has made before it, as in the other order', async () => {
  for (const rows of [',a@x.example,Ada,\nc-1,a@x.example,,L\n', 'c-1,a@x.example,,L\n,a@x.example,Ada,\n']) {
    const storage = await openStorage('shared')
    const list = `contactId,email,firstName,lastName\n${rows}`
    expect(await run(storage, list, { isDryRun: true })).toMatchObject({ fresh: 1, changed: 1, merged: 1 })
    expect(await run(storage, list)).toMatchObject({ fresh: 1, changed: 1, merged: 1 })
    expect(await stored(storage)).toMatchObject([{ contactId: 'c-1', firstName: 'Ada', lastName: 'L' }])
    expect(await run(storage, list)).toMatchObject({ fresh: 0, changed: 0, unchanged: 1, merged: 1 })
  }
})

it('the same list again changes nothing, and a list clears nothing', async () => {
  const storage = await openStorage('shared')
  const list = 'first name,email,phone\nAda,ada@example.com,212-555-0100\nBo,,(212) 555 0101\n'
  expect(await run(storage, list)).toMatchObject({ fresh: 2, changed: 2, unchanged: 0, merged: 0 })
  const before = await stored(storage)
  nowMs += 60_000
  expect(await run(storage, list)).toMatchObject({ fresh: 0, changed: 0, unchanged: 2, merged: 0 })
  expect(await run(storage, 'first name,email,phone\n,ada@example.com,\n')).toMatchObject({
    changed: 0,
    unchanged: 1,
  })
  expect(await stored(storage)).toEqual(before)
  expect(await run(storage, 'firstName,email,phone\nX,,+12125550101\nY,,2125550101\n \t,,\n')).toMatchObject({
    ...{ read: 2, fresh: 0, changed: 1, merged: 1, skipped: 1 },
  })
})

it('a row that nothing finds again is refused', async () => {
  const storage = await openStorage('shared')
  const outcome = await run(storage, 'firstName,email,phone\nAda,ada@example.com,\nBo, ,\nCy,cy,\n')
  const problems = outcome.kind === 'invalid' ? outcome.problems : []
  expect(problems.map(({ line, field, message }) => `${line} ${field} ${message}`)).toEqual([
    '3 contactId is missing, and so are email and phone: the row would come anew with each import. Give one of the three',
    '4 email must be an email address, such as ada@example.com',
  ])
  expect(await stored(storage)).toEqual([])
})

it('columns name single attributes, with ids and without, and never more than a contact can have', async () => {
  const storage = await openStorage('shared')
  await run(
    storage,
    'contactId,email,lastName,attributes\nc-1,a@example.com,L,"{""kept"":""1"",""b"":""2""}"\n',
  )
  const [attributes] = [async () => (await stored(storage)).map((one) => [one.lastName, one.attributes])]
  await run(storage, 'contactId,email,lastName,attributes.b\nc-1,a@example.com,,3\n')
  expect(await attributes()).toEqual([['L', { kept: '1', b: '3' }]])
  const mapping = { Birthday: 'attributes.born' }
  await run(storage, 'email,Birthday\na@example.com,1.2.1990\n', { mapping })
  await run(storage, 'email;Shoe size;B\na@example.com;38;\n', { takesAttributes: true })
  const four = { kept: '1', b: '3', born: '1.2.1990', 'Shoe size': '38' }
  expect(await attributes()).toEqual([['L', four]])
  const names = Array.from({ length: 48 }, (_, index) => `n${index}`)
  const many = `email,${names.join()}\na@example.com,${names.map(() => 'x').join()}\n`
  expect(await run(storage, many, { takesAttributes: true })).toMatchObject({
    warnings: ['c-1: 2 new attributes were left out, because a contact has at most 50.'],
  })
  const [[, all] = []] = await attributes()
  expect(Object.keys(all as object)).toEqual([...Object.keys(four), ...names.slice(0, 46)])
  const long = 'n'.repeat(65)
  expect(await run(storage, `email,${long}\na@example.com,x\n`, { takesAttributes: true })).toMatchObject({
    problems: [{ line: 1, message: 'must name an attribute by 1 to 64 characters, not 65' }],
  })
})

it('a contact that somebody makes while a list is written is found, and counted once by callers at once', async () => {
  const storage = await openStorage('shared')
  const world = worldOf(storage)
  const lines = Array.from({ length: 40 }, (_, index) => ({
    email: `p${index % 30}@example.com`,
    lastName: 'L',
  }))
  let interfered = 0
  const sessions = relayed<ImportSessions>((ask) => ask(world.sessions), {
    findMatches: async (session: ImportSession, keys: MatchKeys, bytesMax: number) => {
      const found = await world.sessions.findMatches(session, keys, bytesMax)
      // Somebody is faster, twice.
      if (interfered < 2) {
        interfered += 1
        const contact = { contactId: `other-${interfered}`, email: `p${interfered}@example.com` }
        const row = { ...contact, emailKey: contact.email, tags: null, emailConsent: null, smsConsent: null }
        await storage.tenant('acme').upsert('contacts', [{ ...row, attributes: null, createdAt: null }])
      }
      return found
    },
  })
  const meddled = { ...world, sessions }
  const target = targetIn(meddled)
  const commit = async (importId: string) => {
    const both = await Promise.all([1, 2].map(() => commitImport(importId, 500, meddled)))
    return both[0] as TransferAnswer
  }
  const bytes = ndjsonBytes(lines)
  await importInParts({ ...target, commit }, { kind: 'contacts', format: 'ndjson' }, bytes, 400)
  const [session] = await world.sessions.list(null, 1)
  expect(session).toMatchObject({
    state: 'done',
    writtenRows: 40,
    newRows: 28,
    changedRows: 30,
    mergedRows: 10,
  })
  const found = await stored(storage)
  expect(found.map(({ email }) => email).sort()).toEqual([...new Set(lines.map(({ email }) => email))].sort())
  expect(found.every(({ lastName }) => lastName === 'L')).toBe(true)
})

it('of very many contacts that share a phone, the oldest is found, and whoever has no email', async () => {
  const storage = await openStorage('shared')
  const phone = '+12125550100'
  const row = { tags: null, emailConsent: null, smsConsent: null, attributes: null, phone }
  const contact = (index: number, email: string | null) => ({
    ...{ ...row, contactId: `c-${index}`, email, emailKey: email },
    createdAt:
      `2026-01-01T00:00:${String(index % 60).padStart(2, '0')}.${String(index).padStart(3, '0')}Z`.slice(
        0,
        24,
      ),
  })
  const rows = Array.from({ length: 1_100 }, (_, index) => contact(index + 60, `p${index}@example.com`))
  const old = { ...contact(1, 'old@example.com'), createdAt: '2020-01-01T00:00:00.000Z' }
  const alone = { ...contact(2, null), createdAt: '2026-05-01T00:00:00.000Z' }
  await storage.tenant('acme').upsert('contacts', [...rows, old, alone])
  // Those of another organization are older, and more than are looked at for one phone.
  const others = Array.from({ length: 50 }, (_, index) => ({
    ...contact(index + 3, index % 2 === 0 ? null : `o${index}@example.com`),
    createdAt: '2010-01-01T00:00:00.000Z',
  }))
  await storage.administration.saveOrganization(organization('other'))
  await storage.tenant('other').upsert('contacts', others)
  await run(storage, `lastName,phone\nFound,${phone}\n`)
  await run(storage, `lastName,phone,email\nAlone,${phone},new@example.com\n`)
  const named = (await storage.tenant('acme').findMany('contacts', ['lastName', 'email'], ['c-1', 'c-2']))
    .map(({ lastName, email }) => `${String(lastName)} ${String(email)}`)
    .sort()
  expect(named).toEqual(['Alone new@example.com', 'Found old@example.com'])
})

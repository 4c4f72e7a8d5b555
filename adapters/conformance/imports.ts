import assert from 'node:assert/strict'
import type {
  ImportSession,
  ImportSessions,
  Matches,
  MatchKeys,
  StagedPart,
  StoredRow,
} from '../../ports/index.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { contact, form, readContact, START_MS, twoTenants, type TwoTenants } from './fixtures.ts'
import { casesFrom } from './cases.ts'

export const contacts = { kind: 'contacts', format: 'ndjson', totalBytes: 100, digest: 'd' } as const

export const part = (number: number, changes: Partial<StagedPart> = {}): StagedPart => ({
  part: number,
  digest: `digest ${number}`,
  bytes: 10,
  readRows: 1,
  skippedRows: 2,
  problems: [],
  warnings: ['w'],
  state: 'receiving',
  reading: `after ${number}`,
  rows: [],
  matching: 0,
  keys: [],
  ...changes,
})

const open = ({ imports }: TwoTenants, importId = 'imp-1', organizationId = 'org-a') =>
  imports(organizationId).open(importId, contacts, 'rows', 'start')

/** A session with these chunks of contacts, which has been decided to be written. */
async function decided(
  storage: TwoTenants,
  ...chunks: readonly (readonly string[])[]
): Promise<ImportSession> {
  let session: ImportSession | null = await open(storage)
  for (const [index, ids] of chunks.entries()) {
    assert(session !== null)
    session = await storage
      .imports('org-a')
      .addPart(session, part(index + 1, { rows: ids.map((id) => contact(id)) }))
  }
  assert(session !== null)
  const started = await storage.imports('org-a').startWriting(session, false)
  assert(started !== null)
  return started
}

/** The contacts with these keys, which are not too large. */
async function matches(
  imports: ImportSessions,
  session: ImportSession,
  keys: MatchKeys,
  bytesMax = Infinity,
): Promise<Matches> {
  const found = await imports.findMatches(session, keys, bytesMax)
  assert(!('bytes' in found))
  return found
}

export const importCases = casesFrom(twoTenants, {
  async 'an import of a kind is opened once, for each organization'(storage) {
    const session = await open(storage)
    assert.deepEqual(
      { ...session, stagedFields: session.stagedFields?.includes('contactId') },
      {
        ...contacts,
        isDryRun: false,
        mapping: {},
        skippedRows: 0,
        importId: 'imp-1',
        state: 'receiving',
        openedAt: toInstant(START_MS),
        touchedAt: toInstant(START_MS),
        nextPart: 1,
        receivedBytes: 0,
        readRows: 0,
        problems: [],
        warnings: [],
        reading: 'start',
        stagedFields: true,
        chunks: 0,
        writtenChunks: 0,
        writtenRows: 0,
        changedRows: 0,
        takesAttributes: false,
        listsProblems: false,
        matching: 0,
        newRows: null,
        mergedRows: null,
      },
    )
    assert.equal((await open(storage, 'imp-2')).importId, 'imp-1')
    assert.equal((await open(storage, 'imp-2', 'org-b')).importId, 'imp-2')
    const { imports } = storage
    const forms = await imports('org-a').open('imp-3', { ...contacts, kind: 'forms' }, 'drafts', 'start')
    assert.equal(forms.stagedFields, null)
    assert.equal((await imports('org-a').end('imp-1', 'aborted', []))?.state, 'aborted')
    assert.equal((await imports('org-a').find('imp-1'))?.reading, '')
    assert.equal((await open(storage, 'imp-4')).importId, 'imp-4')
    storage.clock.ms += 1_000
    await imports('org-a').open('imp-2', { ...contacts, kind: 'sites' }, 'rows', 'start')
    const list = async (...[after, limit]: Parameters<ReturnType<typeof imports>['list']>) =>
      (await imports('org-a').list(after, limit)).map(({ importId }) => importId)
    assert.deepEqual(await list(null, 10), ['imp-2', 'imp-4', 'imp-3', 'imp-1'])
    assert.deepEqual(await list(null, 2), ['imp-2', 'imp-4'])
    // Sessions that were opened at the same moment follow each other by their ids.
    assert.deepEqual(await list({ value: toInstant(START_MS), id: 'imp-4' }, 1), ['imp-3'])
    assert.deepEqual(await list({ value: toInstant(START_MS), id: 'imp-1' }, 10), [])
  },
  async 'an import of another organization is not there'(storage) {
    const session = await open(storage)
    const other = storage.imports('org-b')
    assert.equal(await other.find('imp-1'), null)
    assert.equal(await other.addPart(session, part(1)), null)
    assert.equal(await other.end('imp-1', 'aborted', []), null)
    assert.equal(await other.startWriting(session, false), null)
    assert.equal(await other.writeNext(session, 1), null)
    assert.deepEqual(await other.list(null, 10), [])
    assert.equal((await storage.imports('org-a').find('imp-1'))?.state, 'receiving')
  },
  async 'a part is added only as the next one, with everything that it brings'(storage) {
    const imports = storage.imports('org-a')
    const session = await open(storage)
    storage.clock.ms += 1_000
    assert.equal(await imports.addPart(session, part(2)), null)
    const problems = [{ line: 1, field: 'f', message: 'is “wrong”' }]
    const added = await imports.addPart(session, part(1, { problems, rows: [contact('c')] }))
    assert.deepEqual(added, {
      ...session,
      skippedRows: 2,
      nextPart: 2,
      receivedBytes: 10,
      readRows: 1,
      problems,
      warnings: ['w'],
      reading: 'after 1',
      chunks: 1,
      touchedAt: toInstant(START_MS + 1_000),
    })
    assert.equal(await imports.addPart(session, part(1)), null)
    assert.deepEqual(await imports.digests('imp-1'), ['digest 1'])
    assert.deepEqual(await imports.find('imp-1'), added)
    const refused = await imports.addPart(session, part(2, { state: 'refused' }))
    assert.deepEqual([refused?.state, refused?.reading], ['refused', ''])
    assert.equal(await imports.addPart(session, part(3)), null)
    assert.equal(await readContact(storage, 'c'), undefined)
  },
  async 'keys that stand in several lines are found, with their lines'(storage) {
    const imports = storage.imports('org-a')
    const session = await open(storage)
    const keys = (bucket: number, held: readonly string[], lines: readonly number[]) => ({
      bucket,
      keys: held,
      lines,
    })
    await imports.addPart(
      session,
      part(1, { keys: [keys(0, ['a', 'é"1', 'b'], [1, 2, 3]), keys(1, ['x'], [4])] }),
    )
    await imports.addPart(
      session,
      part(2, { keys: [keys(0, ['é"1', 'a', 'é"1'], [5, 6, 7]), keys(1, ['y'], [8])] }),
    )
    const byKey = (found: readonly { readonly key: string }[]) =>
      found.toSorted((l, r) => (l.key < r.key ? -1 : 1))
    const repeated = [
      { key: 'a', lines: [1, 6] },
      { key: 'é"1', lines: [2, 5, 7] },
    ]
    assert.deepEqual(byKey(await imports.repeatedKeys('imp-1', 0, 10)), repeated)
    assert.equal((await imports.repeatedKeys('imp-1', 0, 1)).length, 1)
    assert.deepEqual(await imports.repeatedKeys('imp-1', 1, 10), [])
    assert.deepEqual(byKey(await imports.keysIn('imp-1', 1)), [
      { key: 'x', lines: [4] },
      { key: 'y', lines: [8] },
    ])
    assert.deepEqual(await storage.imports('org-b').repeatedKeys('imp-1', 0, 10), [])
  },
  async 'chunks are written one by one, each counted once, and the last one ends the import'(storage) {
    const imports = storage.imports('org-a')
    await storage.tenant('org-a').upsert('contacts', [contact('c-1')])
    const session = await decided(storage, ['c-1', 'c-2'], ['c-3'])
    assert.equal(session.state, 'writing')
    assert.equal(await readContact(storage, 'c-2'), undefined)
    const first = await imports.writeNext(session, 1)
    assert.deepEqual([first?.state, first?.writtenRows, first?.changedRows], ['writing', 2, 1])
    assert.notEqual(await readContact(storage, 'c-2'), undefined)
    assert.equal(await readContact(storage, 'c-3'), undefined)
    const last = await imports.writeNext(session, 1)
    assert.deepEqual([last?.state, last?.writtenRows, last?.changedRows], ['done', 3, 2])
    assert.equal(await imports.writeNext(session, 1), null)
    assert.notEqual(await readContact(storage, 'c-3'), undefined)
    assert.equal(await imports.dropStaged('imp-1'), false)
  },
  async 'a step writes as many chunks as it may, all at one instant, and counts their rows'(storage) {
    const imports = storage.imports('org-a')
    await storage.tenant('org-a').upsert('contacts', [contact('c-2')])
    const session = await decided(storage, ['c-1', 'c-2'], ['c-3'], ['c-4'], ['c-5'])
    const first = await imports.writeNext(session, 3)
    assert.deepEqual(
      [first?.state, first?.writtenChunks, first?.writtenRows, first?.changedRows],
      ['writing', 3, 4, 3],
    )
    const [one, four] = [await readContact(storage, 'c-1'), await readContact(storage, 'c-4')]
    assert.equal(one?.updatedAt, four?.updatedAt)
    assert.equal(await readContact(storage, 'c-5'), undefined)
    const last = await imports.writeNext(session, 3)
    assert.deepEqual(
      [last?.state, last?.writtenChunks, last?.writtenRows, last?.changedRows],
      ['done', 4, 5, 4],
    )
    assert.equal(await imports.dropStaged('imp-1'), false)
  },
  async 'two writers at the same time write each chunk once'(storage) {
    const imports = storage.imports('org-a')
    const session = await decided(storage, ['c-1'], ['c-2'], ['c-3'], ['c-4'])
    await Promise.all([1, 2, 1, 2, 1, 2].map((chunksMax) => imports.writeNext(session, chunksMax)))
    const done = await imports.find('imp-1')
    assert.deepEqual([done?.state, done?.writtenRows, done?.changedRows], ['done', 4, 4])
  },
  async 'a write of an import moves the clock of the organization, as every write does'(storage) {
    const session = await decided(storage, ['c-1'], ['c-2'])
    await storage.imports('org-a').writeNext(session, 1)
    await storage.imports('org-a').writeNext(session, 1)
    const [first, second] = [await readContact(storage, 'c-1'), await readContact(storage, 'c-2')]
    assert(String(first?.updatedAt) < String(second?.updatedAt))
  },
  async 'a chunk that is matched is written once, unless a contact changed since they were read'(storage) {
    const imports = storage.imports('org-a')
    const known = contact('c-0', {
      email: 'A@example.com',
      emailKey: 'a@example.com',
      phone: '+12125550100',
    })
    await storage.tenant('org-a').upsert('contacts', [known])
    await storage.tenant('org-b').upsert('contacts', [{ ...known, contactId: 'theirs' }])
    const session = await open(storage)
    const row = contact('c-1', { contactId: null, 'attributes.a': 'b', tags: ['x'] })
    const staged = await imports.addPart(session, part(1, { rows: [row], matching: 2 }))
    assert.deepEqual([staged?.matching, staged?.newRows, staged?.mergedRows], [2, 0, 0])
    const later = await imports.addPart(session, part(2, { rows: [contact('c-2')] }))
    assert.equal(later?.matching, 2)
    await imports.startWriting(session, false)
    const [chunk] = (await imports.nextChunk(session))?.rows ?? []
    assert.deepEqual(
      [chunk?.contactId, chunk?.['attributes.a'], chunk?.tags, chunk?.createdAt],
      [null, 'b', ['x'], row.createdAt],
    )
    const keys = { ids: ['c-9', 'theirs'], emails: ['a@example.com'], phones: ['+12125550100'] }
    const found = await matches(imports, session, keys)
    assert.deepEqual(
      found.contacts.map(({ contactId, tags }) => [contactId, tags]),
      [['c-0', known.tags]],
    )
    assert.equal(found.touched.size, 0)
    await storage.tenant('org-a').upsert('contacts', [{ ...known, firstName: 'Meanwhile' }])
    const counts = { changedRows: 2, newRows: 1, mergedRows: 3 }
    const matched = { rows: [contact('c-3')], touched: [['c-0', 1]], counts, warnings: ['w'] } as const
    const write = (at: string, of: MatchKeys) =>
      imports.writeChunk(session, { chunk: 0, taken: 1, of: 1, matched: { ...matched, at, keys: of } })
    const none = { ids: [], emails: [], phones: [] }
    for (const one of [{ ids: ['c-0'] }, { emails: ['a@example.com'] }, { phones: ['+12125550100'] }])
      assert.equal(await write(found.at, { ...none, ...one }), null)
    assert.equal(await readContact(storage, 'c-3'), undefined)
    // Who changed and has none of the keys is nobody of the chunk.
    const written = await write(found.at, {
      ids: ['c-9'],
      emails: ['b@example.com'],
      phones: ['+12125550199'],
    })
    assert.deepEqual([written?.changedRows, written?.newRows, written?.mergedRows], [2, 1, 3])
    assert.equal((await readContact(storage, 'c-3'))?.contactId, 'c-3')
    const { touched, at } = await matches(imports, session, keys)
    assert.deepEqual([...touched], [['c-0', 1]])
    assert.equal(await write(at, keys), null)
  },
  async 'the first rows of a chunk are written while its others wait, once each'(storage) {
    const imports = storage.imports('org-a')
    const large = 'x'.repeat(1_000)
    const stored = contact('c-1', { attributes: { note: large.repeat(2) } })
    await storage.tenant('org-a').upsert('contacts', [stored, { ...stored, contactId: 'c-2' }])
    const session = await open(storage)
    const rows = ['c-1', 'c-2', 'c-3'].map((id) => contact(id, { firstName: 'New', tags: ['ü', '"'] }))
    await imports.addPart(session, part(1, { rows, matching: 2 }))
    await imports.startWriting(session, false)
    const keys = { ids: ['c-1', 'c-2'], emails: [], phones: [] }
    const found = await imports.findMatches(session, keys, 4_000)
    assert('bytes' in found && found.bytes > 4_000 && found.bytes < 6_000)
    const one = await matches(imports, session, { ...keys, ids: ['c-1'] }, 4_000)
    assert.deepEqual(
      one.contacts.map(({ contactId }) => contactId),
      ['c-1'],
    )
    const counts = { changedRows: 1, newRows: 0, mergedRows: 0 }
    const step = (taken: number, of: number, some: readonly StoredRow[], at: string) =>
      imports.writeChunk(session, {
        ...{ chunk: 0, taken, of },
        matched: { rows: some, touched: [], counts, warnings: [], at, keys },
      })
    const waiting = (await imports.nextChunk(session))?.rows ?? []
    const both = await Promise.all([1, 2].map(() => step(1, 3, rows.slice(0, 1), one.at)))
    assert.deepEqual(both.map((each) => each?.writtenRows ?? null).sort(), [1, null])
    const first = both.find((each) => each !== null)
    assert.deepEqual([first?.state, first?.writtenChunks, first?.changedRows], ['writing', 0, 1])
    assert.deepEqual((await imports.nextChunk(session))?.rows, waiting.slice(1))
    const { at } = await matches(imports, session, keys)
    // Who still knows all three rows writes nothing that counts.
    assert.equal(await step(3, 3, [], at), null)
    const last = await step(2, 2, rows.slice(1), at)
    assert.deepEqual([last?.state, last?.writtenRows, last?.changedRows], ['done', 3, 2])
    assert.equal((await readContact(storage, 'c-3'))?.firstName, 'New')
    assert.equal(await step(2, 2, rows.slice(1), at), null)
  },
  async 'a dry run counts what its chunks would write, and writes none of them'(storage) {
    const imports = storage.imports('org-a')
    await storage.tenant('org-a').upsert('contacts', [contact('c-1'), contact('c-2')])
    await storage.tenant('org-b').upsert('contacts', [contact('c-3')])
    const session = await imports.open('imp-1', { ...contacts, isDryRun: true }, 'rows', 'start')
    const rows = [contact('c-1'), contact('c-2', { firstName: 'Other' }), contact('c-3')]
    await imports.addPart(session, part(1, { rows }))
    await imports.addPart(session, part(2, { rows: [contact('c-4')] }))
    const started = await imports.startWriting(session, false)
    assert.equal(started?.state, 'writing')
    const first = await imports.writeNext(started, 1)
    assert.deepEqual([first?.state, first?.writtenRows, first?.changedRows], ['writing', 3, 2])
    assert(first !== null)
    const last = await imports.writeNext(first, 1)
    assert.deepEqual([last?.state, last?.writtenRows, last?.changedRows], ['checked', 4, 3])
    assert.equal(await imports.end('imp-1', 'aborted', []), null)
    assert.equal(await readContact(storage, 'c-3'), undefined)
    assert.notEqual((await readContact(storage, 'c-2'))?.firstName, 'Other')
    const none = await imports.open('imp-2', { ...contacts, isDryRun: true }, 'rows', 'start')
    assert.equal((await imports.startWriting(none, false))?.state, 'checked')
    assert.equal(await imports.writeNext(none, 1), null)
  },
  async 'a dry run of drafts holds no service-wide id, and can be given up until it ends'(storage) {
    const [mine, theirs] = [storage.imports('org-a'), storage.imports('org-b')]
    const file = { ...contacts, kind: 'forms' }
    const dry = await mine.open('imp-1', { ...file, isDryRun: true }, 'drafts', 'start')
    const keys = [{ bucket: 0, keys: ['f'], lines: [1] }]
    for (const number of [1, 2]) await mine.addPart(dry, part(number, { rows: [form(`f-${number}`)], keys }))
    const comparing = await mine.startWriting(dry, false)
    assert(comparing !== null)
    const written = await mine.writeChunk(comparing, { chunk: 0, rows: [form('f-1')] })
    assert.deepEqual([written?.state, written?.changedRows], ['writing', 1])
    assert.equal(await mine.writeChunk(comparing, { chunk: 0, rows: [form('f-1')] }), null)
    const other = await theirs.open('imp-2', file, 'drafts', 'start')
    await theirs.addPart(other, part(1, { rows: [form('f')], keys }))
    assert.equal((await theirs.startWriting(other, true))?.state, 'writing')
    assert.equal(await theirs.end('imp-2', 'aborted', []), null)
    assert.equal((await mine.end('imp-1', 'aborted', []))?.state, 'aborted')
    assert.equal(await mine.writeChunk(comparing, { chunk: 1, rows: [form('f-2')] }), null)
    assert.equal(await storage.forms.find('f-1'), null)
  },
  async 'a dry run finds contacts as its earlier chunks would have left them'(storage) {
    const imports = storage.imports('org-a')
    const known = contact('c-0', { email: 'a@example.com', emailKey: 'a@example.com' })
    await storage.tenant('org-a').upsert('contacts', [known])
    const session = await imports.open('imp-1', { ...contacts, isDryRun: true }, 'rows', 'start')
    const staged = await imports.addPart(session, part(1, { rows: [contact('c-1')], matching: 2 }))
    await imports.addPart(session, part(2, { rows: [contact('c-2')], matching: 2 }))
    assert(staged !== null)
    const comparing = await imports.startWriting(staged, false)
    assert(comparing !== null)
    const moved = { ...known, email: 'b@example.com', emailKey: 'b@example.com', phone: '+12125550100' }
    const made = contact('c-9', { createdAt: null, emailKey: 'é"x', phone: null })
    const counts = { changedRows: 2, newRows: 1, mergedRows: 0 }
    const touched = [['c-0', 1]] as const
    const keys = { ids: [], emails: [], phones: [] }
    const matched = { rows: [moved, made], touched, counts, warnings: ['w'], at: '', keys }
    const written = await imports.writeChunk(comparing, { chunk: 0, taken: 1, of: 1, matched })
    assert.deepEqual([written?.newRows, written?.warnings], [1, ['w']])
    const find = async (emails: readonly string[], phones: readonly string[], ids: readonly string[] = []) =>
      (await matches(imports, comparing, { ids, emails, phones })).contacts.map(({ contactId, emailKey }) => [
        contactId,
        emailKey,
      ])
    const found = [['c-0', 'b@example.com']]
    assert.deepEqual(await find(['b@example.com'], []), found)
    assert.deepEqual(await find([], ['+12125550100']), found)
    assert.deepEqual(await find([], [], ['c-0']), found)
    // Found by what is stored, it is shown as it would be.
    assert.deepEqual(await find(['a@example.com'], []), found)
    assert.deepEqual(await find([String(made.emailKey)], []), [['c-9', made.emailKey]])
    assert.equal(
      (
        await matches(storage.imports('org-b'), comparing, {
          ids: ['c-9'],
          emails: ['b@example.com'],
          phones: [],
        })
      ).contacts.length,
      0,
    )
    assert.equal(await readContact(storage, 'c-9'), undefined)
    assert.equal((await readContact(storage, 'c-0'))?.email, 'a@example.com')
    await imports.end('imp-1', 'aborted', [])
    while (await imports.dropStaged('imp-1')) continue
    assert.deepEqual(await find(['b@example.com'], ['+12125550100']), [])
  },
  async 'drafts are written as their caller completes them, once'(storage) {
    const imports = storage.imports('org-a')
    const file = { ...contacts, kind: 'forms' }
    const session = await imports.open('imp-1', file, 'drafts', 'start')
    await imports.addPart(session, part(1, { rows: [{ formId: 'f', note: 'draft', at: null }] }))
    assert.equal(await imports.nextChunk(session), null)
    await imports.startWriting(session, true)
    assert.deepEqual(await imports.nextChunk(session), {
      chunk: 0,
      rows: [{ formId: 'f', note: 'draft', at: null }],
    })
    assert.equal(await imports.writeChunk(session, { chunk: 1, rows: [form('wrong')] }), null)
    const written = await imports.writeChunk(session, { chunk: 0, rows: [form('f')] })
    assert.deepEqual([written?.state, written?.writtenRows, written?.changedRows], ['done', 1, 1])
    assert.equal(await imports.writeChunk(session, { chunk: 0, rows: [form('late')] }), null)
    assert.equal((await storage.forms.find('f'))?.organizationId, 'org-a')
    for (const none of ['wrong', 'late']) assert.equal(await storage.forms.find(none), null)
  },
  async 'a chunk that is written elsewhere is counted, once'(storage) {
    const imports = storage.imports('org-a')
    const session = await imports.open('imp-1', { ...contacts, kind: 'pos-customers' }, 'drafts', 'start')
    await imports.addPart(session, part(1, { rows: [{ customerId: 'a' }, { customerId: 'b' }] }))
    await imports.startWriting(session, false)
    const written = await imports.writeChunk(session, { chunk: 0, changed: 1 })
    assert.deepEqual([written?.state, written?.writtenRows, written?.changedRows], ['done', 2, 1])
    assert.equal(await imports.writeChunk(session, { chunk: 0, changed: 1 }), null)
  },
  async 'an import with service-wide ids is not decided while an id is foreign, or another one is written'(
    storage,
  ) {
    const [mine, theirs] = [storage.imports('org-a'), storage.imports('org-b')]
    const file = { ...contacts, kind: 'forms' }
    const keys = [{ bucket: 0, keys: ['f'], lines: [1] }]
    const session = await mine.open('imp-1', file, 'drafts', 'start')
    await mine.addPart(session, part(1, { rows: [form('f')], keys }))
    const other = await theirs.open('imp-2', file, 'drafts', 'start')
    await theirs.addPart(other, part(1, { rows: [form('f')], keys }))
    assert.equal((await theirs.startWriting(other, true))?.state, 'writing')
    assert.equal(await mine.startWriting(session, true), null)
    await theirs.writeChunk(other, { chunk: 0, rows: [form('f')] })
    assert.equal(await mine.startWriting(session, true), null)
    assert.equal((await mine.find('imp-1'))?.state, 'receiving')
  },
  async 'what is staged goes when an import is over, and not before'(storage) {
    const { imports, importDirectory } = storage
    const session = await open(storage)
    const keys = [{ bucket: 0, keys: ['c'], lines: [1] }]
    for (let number = 1; number <= 30; number += 1)
      await imports('org-a').addPart(session, part(number, { rows: [contact('c')], keys }))
    assert.equal(await imports('org-a').dropStaged('imp-1'), true)
    assert.equal((await imports('org-a').digests('imp-1')).length, 30)
    assert.deepEqual(await importDirectory.withLeftovers(10), [])
    await imports('org-a').end('imp-1', 'refused', [])
    assert.deepEqual(await importDirectory.withLeftovers(10), [
      { organizationId: 'org-a', importId: 'imp-1' },
    ])
    await importDirectory.forget(toInstant(storage.clock.ms), 10)
    assert.notEqual(await imports('org-a').find('imp-1'), null)
    let rounds = 0
    while (await imports('org-a').dropStaged('imp-1')) rounds += 1
    assert(rounds > 0)
    assert.deepEqual(await importDirectory.withLeftovers(10), [])
    await importDirectory.forget(toInstant(storage.clock.ms), 10)
    assert.equal(await imports('org-a').find('imp-1'), null)
  },
  async 'imports that nothing happens to are found by their state, the longest untouched first'(storage) {
    const { importDirectory, clock } = storage
    await open(storage, 'imp-b', 'org-b')
    clock.ms += 1_000
    await open(storage, 'imp-a', 'org-a')
    const untouched = async (since: number, limit = 10) =>
      (await importDirectory.untouched('receiving', toInstant(since), limit)).map(({ importId }) => importId)
    assert.deepEqual(await untouched(clock.ms), ['imp-b', 'imp-a'])
    assert.deepEqual(await untouched(clock.ms, 1), ['imp-b'])
    assert.deepEqual(await untouched(clock.ms - 1), ['imp-b'])
    assert.deepEqual(await importDirectory.untouched('writing', toInstant(clock.ms), 10), [])
  },
})

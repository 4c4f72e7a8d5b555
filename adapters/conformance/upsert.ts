import assert from 'node:assert/strict'
import type { PageQuery, StoredRow } from '../../ports/index.ts'
import {
  type StorageInstance,
  at,
  contact,
  contactPage,
  form,
  readContact,
  site,
  submission,
  submissionRow,
  twoTenants,
  type TwoTenants,
} from './fixtures.ts'
import { casesFrom } from './cases.ts'

const byUpdate: Partial<PageQuery> = {
  select: ['contactId', 'updatedAt'],
  order: { field: 'updatedAt', idField: 'contactId', direction: 'ascending' },
}

/** [id, updatedAt] of all contacts, in sync order. */
async function synced({ read }: TwoTenants): Promise<readonly unknown[]> {
  const [rows = []] = await read('org-a', [contactPage({ ...byUpdate, limit: 10_000 })])
  return rows.map(({ contactId, updatedAt }) => [contactId, updatedAt])
}

export const upsertCases = casesFrom(twoTenants, {
  async 'rows are inserted, then replaced by id, and counted when their content changed'(storage) {
    const writer = storage.tenant('org-a')
    assert.deepEqual(await writer.upsert('contacts', []), { changed: 0 })
    assert.deepEqual(await writer.upsert('contacts', [contact('c-1'), contact('c-2')]), { changed: 2 })
    const rows = [contact('c-1'), contact('c-2', { tags: ['a', 'b'] }), contact('c-3')]
    assert.deepEqual(await writer.upsert('contacts', rows), { changed: 2 })
    assert.deepEqual(await writer.upsert('contacts', rows), { changed: 0 })
    assert.deepEqual((await readContact(storage, 'c-2'))?.tags, ['a', 'b'])
  },
  async 'every change of a field is a change, from and to null too'({ tenant }) {
    const steps: readonly StoredRow[] = [
      {},
      { latitude: 1.5 },
      { latitude: 0 },
      { latitude: null },
      { siteCode: '' },
      { siteCode: null },
      { address: { line1: 'x' } },
      { address: {} },
      { status: 'inactive' },
    ]
    for (const step of steps) {
      assert.deepEqual(
        await tenant('org-a').upsert('sites', [site('s', step)]),
        { changed: 1 },
        JSON.stringify(step),
      )
      assert.deepEqual(
        await tenant('org-a').upsert('sites', [site('s', step)]),
        { changed: 0 },
        JSON.stringify(step),
      )
    }
  },
  async 'updatedAt is the time of the change, and stays when the same content comes again'(storage) {
    const writer = storage.tenant('org-a')
    storage.clock.ms += 1000
    await writer.upsert('contacts', [contact('c-1'), contact('c-2')])
    storage.clock.ms += 1000
    await writer.upsert('contacts', [contact('c-1'), contact('c-2', { firstName: 'Ada' }), contact('c-3')])
    assert.deepEqual(await synced(storage), [
      ['c-1', at(1)],
      ['c-2', at(2)],
      ['c-3', at(2)],
    ])
  },
  async 'every write lies strictly behind all before it, under a clock that stands still or steps back'(
    storage,
  ) {
    const writer = storage.tenant('org-a')
    await writer.upsert('forms', [form('form-1')])
    const steps = [0, 0, -60_000, 0, 30_000, -3_600_000, 0]
    const order: string[] = []
    for (const [index, step] of steps.entries()) {
      storage.clock.ms += step
      // Ids descend, so that ties in time would show as a wrong order.
      const id = `c-${9 - index}`
      if (index % 2 === 0) await writer.upsert('contacts', [contact(id)])
      else
        await writer.saveSubmission(
          submission(`s-${index}`, {}, { newContactId: id, email: `${index}@example.com` }),
        )
      order.push(id)
    }
    const seen = (await synced(storage)) as readonly (readonly [string, string])[]
    assert.deepEqual(
      seen.map(([id]) => id),
      order,
    )
    assert.equal(new Set(seen.map(([, updatedAt]) => updatedAt)).size, order.length)
    for (const [, updatedAt] of seen) assert.match(updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  },
  async "one organization's clock does not move another's"(storage) {
    storage.clock.ms += 60_000
    await storage.tenant('org-a').upsert('contacts', [contact('c')])
    storage.clock.ms -= 30_000
    await storage.tenant('org-b').upsert('contacts', [contact('c')])
    assert.equal((await readContact(storage, 'c', 'org-b'))?.updatedAt, at(30))
  },
  async 'a sync that reads forward meets every change made meanwhile'(storage) {
    const writer = storage.tenant('org-a')
    await writer.upsert('contacts', [contact('c-1'), contact('c-2'), contact('c-3')])
    const [first = []] = await storage.read('org-a', [contactPage({ ...byUpdate, limit: 3 })])
    const last = first.at(-1)
    // Written at the same instant of the clock, with an id that sorts first.
    await writer.upsert('contacts', [contact('c-0'), contact('c-1', { firstName: 'Ada' })])
    const after = { value: last?.updatedAt as string, id: last?.contactId as string }
    const [next = []] = await storage.read('org-a', [contactPage({ ...byUpdate, after })])
    assert.deepEqual(
      next.map(({ contactId }) => contactId),
      ['c-0', 'c-1'],
    )
  },
  async "a form's version moves by one with every change, and only then"({ tenant, forms }) {
    const writer = tenant('org-a')
    const versions: unknown[] = []
    for (const changes of [
      {},
      {},
      { isPublished: false },
      { passwordHash: 'h' },
      { definition: { fields: [1] } },
    ]) {
      await writer.upsert('forms', [form('form-1', changes)])
      versions.push((await forms.find('form-1'))?.version)
    }
    assert.deepEqual(versions, [1, 1, 2, 3, 4])
  },
  async 'of a row given twice the last wins'(storage) {
    const rows = [contact('c', { firstName: 'Ada' }), contact('c', { firstName: 'Eve' })]
    await storage.tenant('org-a').upsert('contacts', rows)
    assert.equal((await readContact(storage, 'c'))?.firstName, 'Eve')
  },
  async 'where a natural value is left out, the stored one stays, and a new row gets it'(storage) {
    const left = { tags: null, emailConsent: null, createdAt: null }
    await storage
      .tenant('org-a')
      .upsert('contacts', [contact('c-1', { tags: ['a'], emailConsent: 'subscribed' })])
    await storage.tenant('org-b').upsert('contacts', [contact('c-2', { tags: ['other'] })])
    const write = () =>
      storage.tenant('org-a').upsert('contacts', [contact('c-1', left), contact('c-2', left)])
    assert.deepEqual(await write(), { changed: 1 })
    const read = async (id: string) =>
      (
        await storage
          .tenant('org-a')
          .findMany('contacts', ['tags', 'emailConsent', 'createdAt', 'updatedAt'], [id])
      )[0]
    const stored = await read('c-1')
    assert.deepEqual(
      [stored?.tags, stored?.emailConsent, stored?.createdAt],
      [['a'], 'subscribed', contact('c-1').createdAt],
    )
    const fresh = await read('c-2')
    assert.deepEqual([fresh?.tags, fresh?.emailConsent, fresh?.createdAt], [[], 'unknown', fresh?.updatedAt])
    assert.deepEqual(await write(), { changed: 0 })
    assert.deepEqual(await read('c-2'), fresh)
  },
  async 'what a submission was taken for is settled when it is new, and no later write changes it'({
    tenant,
  }) {
    await tenant('org-a').upsert('forms', [form('form-1')])
    const write = (spam: boolean | null, more: object = {}) =>
      tenant('org-a').upsert('form-submissions', [submissionRow('s-1', { formId: 'form-1', spam, ...more })])
    const read = async () =>
      (await tenant('org-a').findMany('form-submissions', ['spam', 'source'], ['s-1']))[0]
    const held = { held: { email: 'ada@example.com' }, source: 'headless' }
    await write(true, held)
    assert.deepEqual(await write(false, held), { changed: 0 })
    assert.deepEqual(await write(null, { ...held, source: 'hosted' }), { changed: 1 })
    assert.deepEqual(await read(), { spam: true, source: 'hosted' })
  },
  async 'an upsert that fails on one row writes none'(storage) {
    const broken = contact('c-2', { contactId: null })
    await assert.rejects(storage.tenant('org-a').upsert('contacts', [contact('c-1'), broken]))
    assert.equal(await readContact(storage, 'c-1'), undefined)
  },
  async 'an organization that does not exist cannot be written to'({ tenant, forms }) {
    await assert.rejects(tenant('org-none').upsert('forms', [form('form-1')]))
    assert.equal(await forms.find('form-1'), null)
    assert.deepEqual(await tenant('org-none').saveSubmission(submission('s')), { kind: 'stale' })
  },
  async '2,000 rows are written and replaced in one call'(storage) {
    // About 2 MB, so that no single parameter can hold it.
    const note = 'é'.repeat(500)
    const rows = Array.from({ length: 2000 }, (_, index) =>
      contact(`c-${index}`, { tags: [note, String(index)] }),
    )
    assert.deepEqual(await storage.tenant('org-a').upsert('contacts', rows), { changed: 2000 })
    const changed = rows.map((row, index) => (index % 2 === 0 ? row : { ...row, firstName: 'Ada' }))
    assert.deepEqual(await storage.tenant('org-a').upsert('contacts', changed), { changed: 1000 })
    assert.deepEqual((await readContact(storage, 'c-1999'))?.tags, [note, '1999'])
    const ids = rows.map(({ contactId }) => contactId as string)
    assert.equal((await storage.tenant('org-a').findMany('contacts', ['contactId'], ids)).length, 2000)
  },
  async 'rows are found by their ids, each once, with their fields as stored'({ tenant }) {
    const writer = tenant('org-a')
    await writer.upsert('forms', [form('f-1'), form('f-2', { isPublished: false, passwordHash: 'h' })])
    const select = ['formId', 'isPublished', 'passwordHash', 'definition', 'version']
    assert.deepEqual(await writer.findMany('forms', select, ['f-2', 'none', 'f-2']), [
      {
        formId: 'f-2',
        isPublished: false,
        passwordHash: 'h',
        definition: { formId: 'f-2', fields: [] },
        version: 1,
      },
    ])
    assert.deepEqual(await writer.findMany('forms', select, []), [])
  },
})

export const stored = async (storage: StorageInstance, formId: string) =>
  (await storage.tenant('org-a').findMany('forms', ['name', 'passwordHash', 'updatedAt'], [formId]))[0]

export const updatedAt = async (storage: StorageInstance, formId: string) =>
  String((await stored(storage, formId))?.updatedAt)

/** A form that is written without its password. */
export function withoutHash(formId: string, changes: object = {}) {
  const { passwordHash: _left, ...row } = form(formId, { ...changes })
  return row
}

const texts = [
  '',
  ' ',
  'ünïcödé',
  '日本語',
  '😀👩‍👩‍👧',
  'a\u0000b',
  '\u0000',
  '\u001f\u007f\u0085\u2028\ufeff',
  '\uffff\ue000',
  '"quoted" \\ \'single\' ; -- /* ? ?1 :a $a @a',
  '{"a":1}',
  '[1]',
  'null',
  '1',
  '0x10',
]

export const valueCases = casesFrom(twoTenants, {
  async 'text comes back as it was given, in a row, in a JSON field and from a submission'(storage) {
    const writer = storage.tenant('org-a')
    await writer.upsert('forms', [form('form-1')])
    const rows = texts.map((text, index) => contact(`c-${index}`, { firstName: text, tags: [text] }))
    await writer.upsert('contacts', rows)
    assert.deepEqual(await writer.upsert('contacts', rows), { changed: 0 })
    for (const [index, text] of texts.entries()) {
      const row = await readContact(storage, `c-${index}`)
      assert.deepEqual([row?.firstName, row?.tags], [text, [text]])
    }
    const answers = Object.fromEntries(texts.map((text) => [`key ${text}`, text]))
    const attributes = { email: 'ada@example.com', firstName: 'a\u0000😀', lastName: '"\\' }
    await writer.saveSubmission(submission('s', { answers }, attributes))
    const one = { kind: 'one', collection: 'form-submissions', select: ['answers'], id: 's' } as const
    assert.deepEqual(await storage.read('org-a', [one]), [[{ answers }]])
    const saved = await readContact(storage, 'new-s')
    assert.deepEqual([saved?.firstName, saved?.lastName], [attributes.firstName, attributes.lastName])
  },
  async 'a lone surrogate comes back as it was from JSON, and as U+FFFD from text'(storage) {
    const writer = storage.tenant('org-a')
    const lone = 'a\ud800b\udc00'
    await writer.upsert('forms', [form('form-1')])
    await writer.upsert('contacts', [contact('c', { firstName: lone, tags: [lone] })])
    assert.deepEqual(await writer.upsert('contacts', [contact('c', { firstName: lone, tags: [lone] })]), {
      changed: 0,
    })
    const row = await readContact(storage, 'c')
    assert.deepEqual([row?.firstName, row?.tags], ['a\ufffdb\ufffd', [lone]])
    const answers = { [lone]: lone }
    await writer.saveSubmission(submission('s', { answers }, { email: 'ada@example.com', firstName: lone }))
    const one = { kind: 'one', collection: 'form-submissions', select: ['answers'], id: 's' } as const
    assert.deepEqual(await storage.read('org-a', [one]), [[{ answers }]])
    assert.equal((await readContact(storage, 'new-s'))?.firstName, 'a\ufffdb\ufffd')
  },
  async 'keys of JSON objects are ordinary ones, whatever they mean to JavaScript'({ read, tenant }) {
    await tenant('org-a').upsert('forms', [form('form-1')])
    const answers = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c","":"d"}') as Record<
      string,
      unknown
    >
    await tenant('org-a').saveSubmission(submission('s', { answers }))
    const one = { kind: 'one', collection: 'form-submissions', select: ['answers'], id: 's' } as const
    const [rows] = await read('org-a', [one])
    assert.deepEqual(Object.entries(rows?.[0]?.answers ?? {}), Object.entries(answers))
  },
  async 'ids are ordinary text, whatever they mean to JavaScript'(storage) {
    for (const id of ['__proto__', 'constructor', 'a/b?c=d&e', '😀']) {
      assert.equal(await readContact(storage, id), undefined)
      await storage.tenant('org-a').upsert('contacts', [contact(id)])
      assert.equal((await readContact(storage, id))?.contactId, id)
    }
  },
  async 'numbers come back exactly, and so does null'({ read, tenant }) {
    const latitudes = [
      0,
      5,
      -5,
      40.712776,
      0.1 + 0.2,
      1 / 3,
      5e-324,
      1.7976931348623157e308,
      1e21,
      -1e-7,
      null,
    ]
    await tenant('org-a').upsert(
      'sites',
      latitudes.map((latitude, index) => site(`s-${index}`, { latitude })),
    )
    const queries = latitudes.map(
      (_, index) => ({ kind: 'one', collection: 'sites', select: ['latitude'], id: `s-${index}` }) as const,
    )
    const results = await read('org-a', queries)
    assert.deepEqual(
      results.map((rows) => rows[0]?.latitude),
      latitudes,
    )
  },
  async 'ids that tie are ordered by the bytes of their UTF-8, in pages too'({ read, tenant }) {
    const ordered = ['A', 'B', 'a', 'aa', 'b', 'é', '日', '\ue000', '\uffff', '😀', '😀a', '🛠']
    await tenant('org-a').upsert(
      'contacts',
      ordered.map((id) => contact(id)),
    )
    const order = { ...contactPage().order, direction: 'ascending' } as const
    const seen: unknown[] = []
    for (let after = null as { value: string; id: string } | null; ;) {
      const [rows = []] = await read('org-a', [contactPage({ order, after, limit: 1 })])
      const [row] = rows
      if (row === undefined) break
      seen.push(row.contactId)
      after = { value: row.createdAt as string, id: row.contactId as string }
    }
    assert.deepEqual(seen, ordered)
  },
})

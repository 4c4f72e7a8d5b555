import assert from 'node:assert/strict'
import type { StorageCase } from './case.ts'
import { contact, contactPage, form, readContact, site, submission, twoTenants } from './fixtures.ts'

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

export const valueCases: readonly StorageCase[] = [
  {
    name: 'text comes back as it was given, in a row, in a JSON field and from a submission',
    async run(make) {
      const storage = await twoTenants(make)
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
  },
  {
    name: 'a lone surrogate comes back as it was from JSON, and as U+FFFD from text',
    async run(make) {
      const storage = await twoTenants(make)
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
  },
  {
    name: 'keys of JSON objects are ordinary ones, whatever they mean to JavaScript',
    async run(make) {
      const { read, tenant } = await twoTenants(make)
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
  },
  {
    name: 'ids are ordinary text, whatever they mean to JavaScript',
    async run(make) {
      const storage = await twoTenants(make)
      for (const id of ['__proto__', 'constructor', 'a/b?c=d&e', '😀']) {
        assert.equal(await readContact(storage, id), undefined)
        await storage.tenant('org-a').upsert('contacts', [contact(id)])
        assert.equal((await readContact(storage, id))?.contactId, id)
      }
    },
  },
  {
    name: 'numbers come back exactly, and so does null',
    async run(make) {
      const { read, tenant } = await twoTenants(make)
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
  },
  {
    name: 'ids that tie are ordered by the bytes of their UTF-8, in pages too',
    async run(make) {
      const { read, tenant } = await twoTenants(make)
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
  },
]

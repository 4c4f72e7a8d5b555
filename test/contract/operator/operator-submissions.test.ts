import { beforeAll, expect, test } from 'vitest'
import { form, submissionRow } from '../../../adapters/conformance/fixtures.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { StoredRow } from '../../../ports/index.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { openTestService, type Page, type TestService } from '../../support/services/service.ts'

// What came in, searched and marked, compared with a naive way over generated submissions.

interface Shown {
  readonly submissionId: string
  readonly read: boolean
}

type PageBody = Page<Shown>

const ROWS = 60
const MANY = 9_000
const START_MS = Date.UTC(2026, 4, 1)
const HOUR_MS = 3_600_000
const random = seededRandom(44)
const below = (bound: number) => Math.floor(random() * bound)
const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value

const texts = [
  'Sunday',
  'sun',
  'MÜLLER',
  'müller',
  '100%',
  'a_b',
  '"quoted"',
  'line\nbreak',
  '',
  'é',
  'Ünal 12',
]
const answersDrawn = (): Readonly<Record<string, unknown>> => ({
  ...(below(2) === 0 ? { name: oneOf(texts) } : {}),
  ...(below(3) === 0 ? { many: [oneOf(texts), { deep: oneOf(texts), password: 'sunday' }] } : {}),
  ...(below(3) === 0 ? { count: oneOf([12, 1.5, -7, 0]) } : {}),
  ...(below(3) === 0 ? { agreed: oneOf([true, false]) } : {}),
  ...(below(3) === 0 ? { apiKey: oneOf(texts) } : {}),
})

const rows = Array.from(
  { length: ROWS },
  (_, index) =>
    submissionRow(`s-${String(index).padStart(2, '0')}`, {
      formId: oneOf(['one', 'two']),
      submittedAt: toInstant(START_MS + below(40) * 6 * HOUR_MS),
      answers: answersDrawn(),
      typed: oneOf([null, { mobile: '+49 (0)761 12-Sun', apiKey: '%' }]),
      extra: oneOf([
        null,
        { page: 'é 1.5', apiKey: 'true', name: 'Über -7' },
        { _replyto: 'sunday@a.example' },
      ]),
    }) as StoredRow & {
      readonly submissionId: string
      readonly submittedAt: string
      readonly formId: string
    },
)

let service: TestService
let admin: OperatorClient
let support: OperatorClient
const marked = new Set<string>()

beforeAll(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  admin = await openOperatorClient(service, 'admin')
  support = await openOperatorClient(service, 'support')
  for (const id of ['acme', 'other', 'large', 'moved']) await service.addOrganization(id)
  const { storage } = service
  await storage.tenant('acme').upsert('forms', [form('one'), form('two')])
  await storage.tenant('acme').upsert('form-submissions', rows)
  await storage.tenant('other').upsert('forms', [form('theirs')])
  await storage
    .tenant('other')
    .upsert('form-submissions', [submissionRow('theirs', { formId: 'theirs', answers: { name: 'Sunday' } })])
  await storage.tenant('large').upsert('forms', [form('large')])
  const many = Array.from({ length: MANY }, (_, index) =>
    submissionRow(`l-${String(index).padStart(4, '0')}`, {
      formId: 'large',
      submittedAt: toInstant(START_MS + index),
      answers: { name: index % 4_500 === 7 ? 'Needle' : 'hay', token: 'needle' },
    }),
  )
  for (let start = 0; start < MANY; start += 3_000)
    await storage.tenant('large').upsert('form-submissions', many.slice(start, start + 3_000))
})

/** Every page of a list, one after the other. */
async function listed(organizationId: string, query: Readonly<Record<string, string>>, limit = 7) {
  const found: Shown[] = []
  let pages = 0
  let cursor: string | null = null
  do {
    const given = new URLSearchParams({
      ...query,
      limit: String(limit),
      ...(cursor === null ? {} : { cursor }),
    })
    const { status, body } = await support.get(
      `/organizations/${organizationId}/submissions?${given.toString()}`,
    )
    expect([status, body]).toEqual([200, expect.anything()])
    const page = body as unknown as PageBody
    expect(page.data.length).toBeLessThanOrEqual(limit)
    found.push(...page.data)
    pages += 1
    cursor = page.pagination.nextCursor
  } while (cursor !== null)
  return { found, pages }
}

/** The texts and numbers of answers that are published, small ASCII letters throughout. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number')
    return [String(value).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => (/key|password/i.test(name) ? [] : textsIn(part)))
}

const sought = [
  'sun',
  'SUNDAY',
  'müller',
  'MÜLLER',
  '%',
  '_',
  '"',
  'k\nb',
  'Ü',
  '1',
  '1.5',
  '-7',
  'true',
  'name',
  'é',
  '(0)761',
]
const days = ['2026-05-01', '2026-05-04', '2026-05-07T00:00:00+02:00', '2026-05-11']

test('what is searched and narrowed to days and forms is what a naive way finds, newest first', async () => {
  for (let nth = 0; nth < 60; nth += 1) {
    const query = {
      ...(below(4) > 0 ? { search: oneOf(sought) } : {}),
      ...(below(2) === 0 ? { after: oneOf(days) } : {}),
      ...(below(2) === 0 ? { before: oneOf(days) } : {}),
      ...(below(3) === 0 ? { formId: oneOf(['one', 'two']) } : {}),
    }
    const { search, after, before, formId } = query
    const expected = rows
      .filter((row) => formId === undefined || row.formId === formId)
      .filter((row) => after === undefined || Date.parse(row.submittedAt) >= Date.parse(after))
      .filter((row) => before === undefined || Date.parse(row.submittedAt) < Date.parse(before))
      .filter((row) => {
        const wanted = (search ?? '').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
        return (
          search === undefined ||
          textsIn([row.answers, row.typed, row.extra]).some((text) => text.includes(wanted))
        )
      })
      .toSorted((left, right) =>
        left.submittedAt + left.submissionId < right.submittedAt + right.submissionId ? 1 : -1,
      )
    const { found } = await listed('acme', query)
    expect(
      found.map(({ submissionId }) => submissionId),
      JSON.stringify(query),
    ).toEqual(expected.map(({ submissionId }) => submissionId))
  }
})

test('what a page says of the notification is shown with what came besides', async () => {
  const extra = {
    _subject: 'From the web site',
    _replyto: 'ada@work.example',
    company: 'Lovelace',
    token: 'x',
  }
  const row = submissionRow('sub-1', { formId: 'moved', answers: {}, extra })
  await service.storage.tenant('moved').upsert('forms', [form('moved')])
  await service.storage.tenant('moved').upsert('form-submissions', [row])
  const { body } = await support.get('/organizations/moved/submissions/sub-1')
  expect(body).toMatchObject({ answers: {}, attribution: {} })
  expect({ ...body }).toHaveProperty('extra', {
    subject: 'From the web site',
    replyTo: 'ada@work.example',
    company: 'Lovelace',
  })
})

test('a search over very many ends its pages early, finds all of them, and nothing in secrets', async () => {
  const { found, pages } = await listed('large', { search: 'needle' }, 100)
  expect(found.map(({ submissionId }) => submissionId)).toEqual(['l-4507', 'l-0007'])
  expect(pages).toBeGreaterThanOrEqual(2)
  const { body } = await support.get('/organizations/large/submissions?search=zzz')
  expect(body).toMatchObject({ data: [], pagination: { hasMore: true } })
})

test('a page goes on with the search, the days and the form that it began with, or is refused', async () => {
  const ask = (query: string) => support.get(`/organizations/acme/submissions?limit=1${query}`)
  const asked = ['', '&formId=one', '&formId=two', '&search=sun', '&after=2026-05-02', '&before=2026-05-09']
  for (const query of [...asked, '&spam=false', '&formId=one&search=sun']) {
    const { pagination } = (await ask(query)).body as unknown as PageBody
    const cursor = encodeURIComponent(pagination.nextCursor ?? '')
    expect(cursor).not.toBe('')
    for (const other of asked)
      expect([query, other, (await ask(`${other}&cursor=${cursor}`)).status]).toEqual([
        query,
        other,
        other === query ? 200 : 400,
      ])
  }
  const other = (await ask('')).body as unknown as PageBody
  const path = `/organizations/other/submissions?cursor=${encodeURIComponent(other.pagination.nextCursor ?? '')}`
  expect((await support.get(path)).status).toBe(400)
})

test('what is marked is what is shown and counted, one organization for itself', async () => {
  const unreadOf = async (query = '') =>
    (await support.get(`/organizations/acme/unread-submissions${query}`)).body
  for (let nth = 0; nth < 25; nth += 1) {
    const ids = Array.from({ length: 1 + below(4) }, () => oneOf(rows).submissionId)
    const read = below(3) > 0
    const { status } = await admin.post('/organizations/acme/submissions/mark', { ids, read })
    expect(status).toBe(204)
    for (const id of ids) marked[read ? 'add' : 'delete'](id)
    const { found } = await listed('acme', {}, 500)
    expect(found.filter((one) => one.read).map(({ submissionId }) => submissionId)).toEqual(
      found.map(({ submissionId }) => submissionId).filter((id) => marked.has(id)),
    )
    const unread = (some: typeof rows) => some.filter(({ submissionId }) => !marked.has(submissionId)).length
    expect(await unreadOf()).toEqual({ unread: unread(rows), isWhole: true })
    expect(await unreadOf('?formId=one')).toEqual({
      unread: unread(rows.filter(({ formId }) => formId === 'one')),
      isWhole: true,
    })
  }
  const { body } = await support.get('/organizations/other/unread-submissions')
  expect(body).toEqual({ unread: 1, isWhole: true })
  expect((await support.get('/organizations/large/unread-submissions')).body).toEqual({
    unread: 9_000,
    isWhole: false,
  })
  expect((await support.get('/organizations/acme/unread-submissions?formId=theirs')).status).toBe(404)
})

test.each([
  ['?search=' + 'x'.repeat(201), 'Parameter search must be a text of at most 200 characters.'],
  ['?after=2026-02-30', 'Parameter after must be a day as 2026-05-01, or'],
  ['?before=yesterday', 'Parameter before must be a day'],
  ['?after=2026-05-01&after=2026-05-02', 'Parameter after must be given at most once.'],
])('%s is refused', async (query, said) => {
  const { status, body } = await support.get(`/organizations/acme/submissions${query}`)
  expect([status, body.error]).toEqual([400, expect.stringContaining(said)])
})

test.each([
  '?search=%00',
  '?search=%ED%A0%80',
  '?search=%F0%9F%98',
  '?search=%5C%22%25',
  '?after=0000-01-01&before=9999-12-31',
])('%s is answered', async (query) => {
  expect((await support.get(`/organizations/acme/submissions${query}`)).status).toBe(200)
})

test('nothing is marked when an id is unknown, of another organization, or too many are given', async () => {
  const path = '/organizations/acme/submissions/mark'
  const before = (await listed('acme', {}, 500)).found
  const [{ submissionId: known } = { submissionId: '' }] = before
  expect((await support.post(path, { ids: [known], read: true })).status).toBe(403)
  for (const [ids, status] of [
    [[known, 'theirs'], 409],
    [[known, 'none'], 409],
    [[], 400],
    [[''], 400],
    [Array.from({ length: 501 }, (_, index) => `s-${index}`), 400],
  ] as const)
    for (const read of [true, false]) expect((await admin.post(path, { ids, read })).status).toBe(status)
  for (const body of [{ ids: [known] }, { ids: [known], read: 1 }, { ids: [known], read: true, spam: true }])
    expect((await admin.post(path, body)).status).toBe(400)
  expect(
    (await admin.post('/organizations/nobody/submissions/mark', { ids: [known], read: true })).status,
  ).toBe(404)
  expect((await listed('acme', {}, 500)).found).toEqual(before)
})

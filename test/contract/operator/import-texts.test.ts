import { expect, test } from 'vitest'
import { demoOrganizations } from '../../../host-worker/dev/demo/index.ts'
import { importContext, checkPart } from '../../../domain/imports/check.ts'
import { runImport } from '../../../domain/imports/sessions.ts'
import { importKindNames, kindOf } from '../../../domain/imports/kinds.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import { organization } from '../../../adapters/conformance/fixtures.ts'
import { importWorld, ndjsonBytes, sourceOf, toolsWithoutSecrets } from '../../support/data/imports.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { answerOf, openTestService } from '../../support/services/service.ts'

// What a person does not see in a text of a file: NUL, white space around an id, digits finer than a millisecond.

async function openScratch() {
  const service = await openTestService((clock) => createScratchStorage({ clock }))
  const key = await service.addOrganization('acme')
  const world = importWorld(service.storage, organization('acme'), toolsWithoutSecrets(service.clock))
  const run = async (kind: string, rows: readonly object[] | string) => {
    const isCsv = typeof rows === 'string'
    const source = sourceOf(isCsv ? utf8(rows) : ndjsonBytes(rows))
    const format = isCsv ? 'csv' : 'ndjson'
    const outcome = await runImport({ kind, format, source, onProgress: () => undefined }, world)
    return outcome.kind === 'invalid'
      ? outcome.problems.map(({ line, field, message }) => `${line} ${field} ${message}`)
      : outcome
  }
  const list = async (path: string) => {
    const response = await service.send(`/api/v1/${path}`, { key })
    expect(response.status, path).toBe(200)
    return ((await response.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] }).data
  }
  return { run, list }
}

const NUL = 'holds the character NUL (U+0000), which cannot be stored. Remove it'

/** A line of each kind, as the demo has it. */
const lines = new Map(
  demoOrganizations
    .slice(0, 2)
    .flatMap((demo) => demo.lines)
    .map(([kind, linesOf]) => [kind, { ...[...linesOf()][0] }] as const),
)

/** The line with a NUL at the end of one of its texts, at any depth, once for each text; and the path to that text. */
function* spoilt(value: unknown): Generator<readonly [readonly string[], unknown]> {
  if (typeof value === 'string') yield [[], `${value}\0`]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    for (const [path, changed] of spoilt(inner)) {
      const copy: unknown = Array.isArray(value)
        ? value.map((item: unknown, index) => (String(index) === key ? changed : item))
        : { ...value, [key]: changed }
      yield [[key, ...path], copy]
    }
}

test('no text of any kind of import takes a NUL, however deep it is', async () => {
  const context = importContext(organization('acme'))
  const lookup = { foreignIds: async () => [], findMany: async () => [] }
  const tools = toolsWithoutSecrets({ nowMs: () => 0 })
  const tried = new Map<string, number>()
  for (const [name, line] of lines) {
    const kind = kindOf(name, tools)
    for (const [path, record] of spoilt(line)) {
      const entry = { line: 1, record: record as Readonly<Record<string, unknown>> }
      const { problems, rows } = await checkPart([entry], kind, context, lookup)
      const field = path.join('.')
      expect(problems, `${name} ${field}`).toContainEqual(
        expect.objectContaining({ line: 1, field: expect.stringContaining(field.slice(0, 50)) as unknown }),
      )
      expect(
        problems.map(({ message }) => message),
        `${name} ${field}`,
      ).toContain(NUL)
      expect(rows).toEqual([])
      tried.set(name, (tried.get(name) ?? 0) + 1)
    }
  }
  expect(importKindNames.filter((name) => name !== 'automation-runs' && !tried.has(name))).toEqual([])
})

const contact = (contactId: string, rest: object = {}) => ({ contactId, firstName: 'Ada', ...rest })

test('a NUL is named where it is, in both formats', async () => {
  const { run } = await openScratch()
  expect(await run('contacts', [contact('c', { tags: ['x', '\0'] })])).toEqual([`1 tags.1 ${NUL}`])
  expect(await run('contacts', 'contactId,firstName,tags\nc,"A\0da","[""a"",""\\u0000""]"\n')).toEqual([
    `2 firstName ${NUL}`,
    `2 tags.1 ${NUL}`,
  ])
})

test('ids are trimmed, references too, and an id of spaces is none', async () => {
  const { run, list } = await openScratch()
  await run('sites', 'siteId,name,timezone\n" s-1 ",Lakeside,UTC\n')
  expect((await list('sites')).map(({ siteId }) => siteId)).toEqual(['s-1'])
  expect(await run('contacts', [contact('\u00a0c-1\t', { siteId: ' s-1' })])).toMatchObject({ changed: 1 })
  expect(await run('contacts', 'contactId,firstName,siteId\n c-1,Ada,"s-1 "\n')).toMatchObject({
    unchanged: 1,
  })
  expect((await list('contacts?siteId=s-1')).map(({ contactId }) => contactId)).toEqual(['c-1'])
  const items = [{ productId: ' p-1 ', quantity: 1 }]
  await run('checkout-links', [{ checkoutLinkId: ' l-1', name: 'L', url: 'https://a.example/', items }])
  await run('products', [
    {
      productId: 'p-1 ',
      name: 'P',
      type: 'one_time',
      status: 'active',
      priceCents: 1,
      currency: 'USD',
      siteIds: [' s-1'],
    },
  ])
  expect(await list('checkout-links')).toMatchObject([
    { checkoutLinkId: 'l-1', items: [{ productId: 'p-1', quantity: 1 }] },
  ])
  expect(await list('products?siteId=s-1')).toMatchObject([{ productId: 'p-1', siteIds: ['s-1'] }])
  await run('contact-lists', [{ listId: ' list ', name: 'L', type: 'static' }])
  expect(await run('list-members', [{ listId: 'list', contactId: ' c-1 ' }])).toMatchObject({ changed: 1 })
  expect(await run('list-members', [{ listId: ' list', contactId: 'c-1' }])).toMatchObject({ unchanged: 1 })
  expect(await run('contacts', [contact('a'), contact(' a '), contact('  '), contact(' .. ')])).toEqual([
    '2 contactId is the same as in line 1',
    expect.stringMatching(/^3 contactId is missing, and so are email and phone/),
    expect.stringMatching(/^4 contactId is reserved/),
  ])
})

test.each([
  '2026-05-20T08:30:00.123456Z',
  '2026-05-20T10:30:00.123999999+02:00',
  '2026-05-20t08:30:00,1234567890123z',
])('a row imported at %s is found by that very text, and is the same when it comes again', async (at) => {
  const { run, list } = await openScratch()
  const text = encodeURIComponent(at)
  expect(await run('contacts', [contact('c-1', { createdAt: at })])).toMatchObject({ changed: 1 })
  const before = await list('contacts')
  expect(before).toMatchObject([{ createdAt: '2026-05-20T08:30:00.123Z' }])
  expect(await run('contacts', [contact('c-1', { createdAt: at })])).toMatchObject({
    changed: 0,
    unchanged: 1,
  })
  expect(await list('contacts')).toEqual(before)
  expect(await list(`contacts?createdAfter=${text}`)).toEqual(before)
  expect(await list(`contacts?createdBefore=${text}`)).toEqual([])
  expect(await list('contacts?createdBefore=2026-05-20T08:30:00.124Z')).toEqual(before)
})

test('what operators write takes no NUL and no half character, and says where one is', async () => {
  const service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  const key = await service.addOperatorKey('admin')
  const form = { formId: 'f', name: 'F', isPublished: false, notificationEmails: [] }
  const field = { id: 'a', type: 'short_text', label: 'A\0' }
  const writes = [
    [
      'organizations/acme/forms',
      { forms: [{ ...form, fields: [field] }] },
      `forms.0.fields.0.label: ${NUL}.`,
    ],
    ['organizations/acme/forms', { forms: [{ ...form, name: 'F\0', fields: [] }] }, `forms.0.name: ${NUL}.`],
    ['organizations/acme/keys', { label: 'a\0' }, 'label'],
    ['organizations/acme', { name: 'Acme\ud800' }, 'name: holds half a character'],
  ] as const
  for (const [path, json, problem] of writes) {
    const { status, body } = await answerOf(await service.send(`/operator/v1/${path}`, { key, json }))
    expect([status, body.error]).toEqual([400, expect.stringContaining(problem)])
  }
})

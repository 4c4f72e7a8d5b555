import { beforeEach, describe, expect, test } from 'vitest'
import { digestOfParts, sha256, PART_MAX_BYTES } from '../../../domain/imports/file/transfer.ts'
import { importKindNames } from '../../../domain/imports/kinds.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import { createScratchStorage } from '../../support/scratch/scratch-storage.ts'
import {
  answerOf,
  openTestService,
  type Page,
  type TestRequest,
  type TestService,
} from '../../support/services/service.ts'

// Imports over the operator interface: the answers, and the messages to a sender that makes a mistake.

const ALL = '/operator/v1/organizations/acme/imports'

let service: TestService
let key: string

beforeEach(async () => {
  service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  key = await service.addOperatorKey('admin')
})

const line = (contactId: string, rest: object = {}) =>
  `${JSON.stringify({ contactId, tags: [], emailConsent: 'unknown', smsConsent: 'unknown', createdAt: '2026-01-01T00:00:00Z', ...rest })}\n`

const ask = async (method: string, path: string, init: TestRequest = {}) =>
  answerOf(await service.send(path, { ...init, method, key }))

const post = (path: string, json: object) => ask('POST', path, { json })

const open = async (...texts: readonly string[]) => {
  const digests = await Promise.all(texts.map((text) => sha256(utf8(text))))
  const totalBytes = utf8(texts.join('')).length
  const digest = await digestOfParts(digests)
  return post(ALL, { kind: 'contacts', format: 'ndjson', totalBytes, digest })
}

async function opened(...texts: readonly string[]): Promise<string> {
  const { status, body } = await open(...texts)
  expect(status).toBe(200)
  return `${ALL}/${String(body.importId)}`
}

async function send(path: string, part: number | string, bytes: Uint8Array<ArrayBuffer>, of = bytes) {
  const base64 = (await sha256(of)).replaceAll('-', '+').replaceAll('_', '/')
  return ask('PUT', `${path}/parts/${part}`, {
    headers: { 'content-type': 'application/octet-stream', 'content-digest': `sha-256=:${base64}=:` },
    body: bytes,
  })
}

const audited = async () =>
  (await service.storage.audit.list({}, null, 100)).map(({ action, outcome }) => `${action} ${outcome}`)

test('a file is opened, sent, committed and remembered, and the audit tells', async () => {
  const path = await opened(line('c-1'), line('c-2'))
  expect(await send(path, 1, utf8(line('c-1')))).toMatchObject({
    status: 200,
    body: { nextPart: 2, state: 'receiving' },
  })
  expect(await ask('POST', `${path}/write`)).toMatchObject({ status: 409 })
  expect((await ask('POST', `${path}/commit`)).body.error).toMatch(
    /part 2 is missing before the import can be written/,
  )
  expect(await send(path, 2, utf8(line('c-2')))).toMatchObject({ body: { nextPart: 3, readRows: 2 } })
  const done = { state: 'done', writtenRows: 2, changedRows: 2 }
  expect(await ask('POST', `${path}/commit`)).toMatchObject({ status: 200, body: done })
  expect(await ask('POST', `${path}/write`)).toMatchObject({ status: 200, body: done })
  expect(await ask('GET', path)).toMatchObject({ status: 200, body: done })
  expect(await ask('GET', ALL)).toMatchObject({ status: 200, body: { data: [done] } })
  expect(await ask('DELETE', path)).toMatchObject({ status: 409 })
  expect((await audited()).filter((text) => text.startsWith('import.')).toSorted()).toEqual([
    'import.abort refused',
    'import.commit done',
    'import.commit refused',
    'import.open done',
  ])
})

test('every kind is listed with its columns and a template', async () => {
  const { status, body } = await ask('GET', '/operator/v1/import-kinds')
  expect(status).toBe(200)
  const data = body.data as readonly { readonly kind: string; readonly template: string }[]
  expect(data.map(({ kind }) => kind)).toEqual(importKindNames)
  expect(data.find(({ kind }) => kind === 'contact-lists')).toEqual({
    kind: 'contact-lists',
    columns: [
      {
        name: 'listId',
        type: 'text',
        isRequired: true,
        whenLeftOut: null,
        meaning: 'Identifier of the list.',
        heads: [],
      },
      expect.objectContaining({ name: 'name', isRequired: true }),
      expect.objectContaining({ name: 'description', isRequired: false, whenLeftOut: 'nothing' }),
      expect.objectContaining({ name: 'type', isRequired: false, whenLeftOut: 'static' }),
      expect.objectContaining({ name: 'createdAt', whenLeftOut: 'the time of the import' }),
    ],
    template: expect.stringMatching(/^listId,name,description,type,createdAt\r\nlist-members,/) as string,
  })
})

test('a dry run is checked and counted, and writes nothing; a file of the same bytes is then imported', async () => {
  const text = 'Kundennr;Source\nc-1;a\n;\n'
  const digest = await digestOfParts([await sha256(utf8(text))])
  const file = {
    kind: 'contacts',
    format: 'csv',
    totalBytes: utf8(text).length,
    digest,
    mapping: { Kundennr: 'contactId' },
  }
  for (const dryRun of [true, false]) {
    const { status, body } = await post(ALL, { ...file, dryRun })
    expect([status, body.dryRun, body.mapping]).toEqual([200, dryRun, file.mapping])
    const path = `${ALL}/${String(body.importId)}`
    expect(await send(path, 1, utf8(text))).toMatchObject({
      body: { readRows: 1, skippedRows: 1, problems: [] },
    })
    const state = dryRun ? 'checked' : 'done'
    expect(await ask('POST', `${path}/commit`)).toMatchObject({
      status: 200,
      body: { state, writtenRows: 1, changedRows: 1 },
    })
    const rows = await service.storage.tenant('acme').findMany('contacts', ['contactId'], ['c-1'])
    expect(rows).toHaveLength(dryRun ? 0 : 1)
  }
})

test('imports are listed newest first, in pages', async () => {
  await service.addOrganization('other')
  const ids: string[] = []
  for (const contactId of ['c-1', 'c-2', 'c-3']) {
    service.clock.advance(1_000)
    const path = await opened(line(contactId))
    ids.unshift(path.slice(`${ALL}/`.length))
    await ask('DELETE', path)
  }
  const listed = async (query: string) => {
    const { status, body } = await ask('GET', ALL + query)
    expect(status).toBe(200)
    const { data, pagination } = body as unknown as Page<{ readonly importId: string }>
    return { found: data.map(({ importId }) => importId), ...pagination }
  }
  const first = await listed('?limit=2')
  expect(first).toMatchObject({ found: ids.slice(0, 2), hasMore: true })
  const cursor = `?cursor=${first.nextCursor ?? ''}`
  // An import that is opened meanwhile neither moves nor doubles a row of the next page.
  await opened(line('c-4'))
  expect(await listed(cursor)).toMatchObject({ found: ids.slice(2), hasMore: false, nextCursor: null })
  expect(await ask('GET', ALL.replace('/acme/', '/other/') + cursor)).toMatchObject({ status: 400 })
  expect(await ask('GET', `${ALL}?cursor=x`)).toMatchObject({ status: 400 })
  expect(await ask('GET', `${ALL}?page=2`)).toMatchObject({ status: 400 })
})

test('a file with problems is no success, and says which', async () => {
  const text = line('c-1') + line('c-2', { emailConsent: 'maybe' }) + line('c-1')
  const path = await opened(text)
  expect(await send(path, 1, utf8(text))).toMatchObject({ status: 200, body: { problems: [{ line: 2 }] } })
  expect(await ask('POST', `${path}/commit`)).toMatchObject({
    status: 422,
    body: {
      problems: [
        { line: 2, field: 'emailConsent' },
        { line: 3, message: 'is the same as in line 1' },
      ],
    },
  })
  expect(await ask('POST', `${path}/write`)).toMatchObject({ status: 422 })
  expect(await service.storage.tenant('acme').findMany('contacts', ['contactId'], ['c-1'])).toEqual([])
  expect(await audited()).toContain('import.commit refused')
})

describe('a sender is told', () => {
  test.each([
    ['an unknown kind', { kind: 'cars' }, /^kind: must be one of sites, /],
    ['an unknown format', { format: 'xml' }, /^format: must be one of ndjson, csv/],
    ['a size below zero', { totalBytes: -1 }, /^totalBytes: must not be negative/],
    ['a size beyond the largest', { totalBytes: 2 ** 40 }, /^totalBytes: must be at most \d+: cut the file/],
    ['no digest', { digest: 'abc' }, /^digest: must be a SHA-256 in base64url/],
    ['an unknown setting', { force: true }, /^force/],
  ])('%s', async (_, wrong, message) => {
    const { status, body } = await post(ALL, {
      kind: 'contacts',
      format: 'ndjson',
      totalBytes: 1,
      digest: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
      ...wrong,
    })
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)])
  })

  test('what is wrong with a part', async () => {
    const bytes = utf8(line('c-1'))
    const path = await opened(line('c-1'), line('c-2'))
    for (const number of ['0', '-1', '1.5', 'one', '9999999999'])
      expect(await send(path, number, bytes)).toMatchObject({ status: 400 })
    expect(await send(path, 2, bytes)).toMatchObject({ status: 409 })
    expect((await send(path, 1, bytes, utf8('other'))).body.error).toMatch(/^Part 1 does not have the digest/)
    expect(await send(path, 1, new Uint8Array(PART_MAX_BYTES + 1))).toMatchObject({ status: 413 })
    expect(await ask('PUT', `${path}/parts/1`, { body: bytes })).toMatchObject({ status: 400 })
    expect(await send(path, 1, bytes)).toMatchObject({ status: 200 })
    expect(await send(path, 1, bytes)).toMatchObject({ status: 200, body: { nextPart: 2 } })
  })

  test('that a part broke off, of which nothing is kept', async () => {
    const bytes = utf8(line('c-1'))
    const path = await opened(line('c-1'))
    const brokenOff = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 10))
        controller.error(new TypeError('terminated'))
      },
    })
    const digest = (await sha256(bytes)).replaceAll('-', '+').replaceAll('_', '/')
    const init: RequestInit & { readonly duplex: 'half' } = {
      headers: { 'content-type': 'application/octet-stream', 'content-digest': `sha-256=:${digest}=:` },
      body: brokenOff,
      duplex: 'half',
    }
    const { status, body } = await ask('PUT', `${path}/parts/1`, init)
    expect([status, body.error]).toEqual([400, 'The part did not arrive completely. Send it again.'])
    expect(await ask('GET', path)).toMatchObject({ body: { nextPart: 1, receivedBytes: 0 } })
    expect(await send(path, 1, bytes)).toMatchObject({ status: 200, body: { nextPart: 2 } })
    expect(service.errors).toEqual([])
  })

  test('that there is no such organization or import', async () => {
    const path = await opened(line('c-1'))
    await service.addOrganization('other')
    const foreign = path.replace('/acme/', '/other/')
    for (const missing of [foreign, `${ALL}/imp_none`, path.replace('/acme/', '/nobody/')]) {
      expect(await ask('GET', missing)).toMatchObject({ status: 404 })
      expect(await ask('DELETE', missing)).toMatchObject({ status: 404 })
      expect(await send(missing, 1, utf8(line('c-1')))).toMatchObject({ status: 404 })
      for (const step of ['commit', 'write'])
        expect(await ask('POST', `${missing}/${step}`)).toMatchObject({ status: 404 })
    }
    expect(await ask('GET', '/operator/v1/organizations/nobody/imports')).toMatchObject({ status: 404 })
  })

  test('that another file is being imported, until that is given up', async () => {
    const path = await opened(line('c-1'))
    expect((await open(line('c-2'))).body.error).toMatch(
      /^Another file of contacts is being imported into acme/,
    )
    expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { state: 'aborted' } })
    expect(await open(line('c-2'))).toMatchObject({ status: 200 })
  })

  test('that a kind of a point of sale has no place to go', async () => {
    const digest = await digestOfParts([])
    const file = { kind: 'pos-customers', format: 'ndjson', totalBytes: 0, digest }
    expect(await post(ALL, file)).toMatchObject({ status: 409, body: { error: 'It has no point of sale.' } })
  })
})

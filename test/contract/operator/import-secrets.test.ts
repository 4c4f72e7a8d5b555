import { createImportDirectory } from '../../../adapters/sqlite/imports/session-states.ts'
import { describe, expect, test } from 'vitest'
import {
  ABANDONED_MS,
  FILE_PROBLEMS_MAX,
  digestOfParts,
  sha256,
} from '../../../domain/imports/file/transfer.ts'
import { openImport, receivePart } from '../../../domain/imports/sessions.ts'
import type { ImportWorld } from '../../../domain/imports/check.ts'
import { sweepImports } from '../../../domain/imports/write.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import { importTools } from '../../../host-worker/http/world.ts'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { fakeClock, testSecrets } from '../../support/runner/fakes.ts'
import { importWorld } from '../../support/data/imports.ts'
import { openTestService, type TestRequest } from '../../support/services/service.ts'
import { everyText, reveals } from '../../support/databases/whole-database.ts'
import { triedPlaces } from '../../support/runner/thorough.ts'

// While a file of forms arrives, and afterwards, nothing that is stored, logged or answered shows a form's password.

const PASSWORD = 'Tr0ub4dorZebra"\nQuaggaOkapi'
/** Every six characters of the password that no format escapes: a stored part of it is found too. */
const PIECES = PASSWORD.split(/["\n]+/).flatMap((word) =>
  Array.from({ length: word.length - 5 }, (_, start) => word.slice(start, start + 6)),
)
const ALL = '/operator/v1/organizations/acme/imports'
const form = {
  formId: 'f-1',
  name: 'F',
  isPublished: true,
  password: PASSWORD,
  notificationEmails: [],
  fields: [],
}

const csvCell = (value: unknown) =>
  `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`
const formats = {
  ndjson: (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  csv: (lines: readonly object[]) =>
    [
      Object.keys(lines[0] ?? {}).join(),
      ...lines.map((line) => Object.values(line).map(csvCell).join()),
      '',
    ].join('\n'),
}
type Format = keyof typeof formats
const places = { shared: { kind: 'shared' }, own: { kind: 'own', region: null, jurisdiction: null } } as const
const cases = triedPlaces(Object.keys(places) as (keyof typeof places)[]).flatMap((place) =>
  (Object.keys(formats) as Format[]).map((format) => ({ place, format })),
)

async function openedService(place: keyof typeof places) {
  const storages: ScratchStorage[] = []
  const service = await openTestService((clock) => {
    const storage = createScratchStorage({ clock, choice: places[place] })
    storages.push(storage)
    return storage
  })
  await service.addOrganization('acme')
  const [storage] = storages
  if (storage === undefined) throw new Error('The service has no storage')
  return { service, storage, key: await service.addOperatorKey('admin') }
}

/** Sends a file in parts, and says for each step what the service stores, logs or answers of the password. */
async function sending(
  { service, storage, key }: Awaited<ReturnType<typeof openedService>>,
  format: Format,
  text: string,
  cuts: readonly number[],
) {
  const bytes = utf8(text)
  const parts = [...cuts, bytes.length].map((end, index, ends) => bytes.slice(ends[index - 1] ?? 0, end))
  const digests = await Promise.all(parts.map((part) => sha256(part)))
  const leaks: string[] = []
  /** Texts that were searched before: most of them are stored at each step. */
  const searched = new Set<string>()
  const ask = async (method: string, path: string, init: TestRequest = {}) => {
    const response = await service.sendUnchecked(path, { ...init, method, key })
    const answer = await response.text()
    if (reveals(answer, PIECES)) leaks.push(`${method} ${path} answers ${answer}`)
    for (const database of new Set([storage.database, await storage.databaseOf('acme')]))
      for (const { table, column, text: stored } of await everyText(database)) {
        if (searched.has(stored)) continue
        searched.add(stored)
        if (reveals(stored, PIECES)) leaks.push(`${method} ${path} leaves ${table}.${column}: ${stored}`)
      }
    return {
      status: response.status,
      body: JSON.parse(answer) as { readonly importId: string; readonly state: string },
    }
  }
  const file = { kind: 'forms', format, totalBytes: bytes.length, digest: await digestOfParts(digests) }
  const { body } = await ask('POST', ALL, { json: file })
  const path = `${ALL}/${body.importId}`
  const send = async (index: number) => {
    const base64 = `${(digests[index] ?? '').replaceAll('-', '+').replaceAll('_', '/')}=`
    const sent = { 'content-type': 'application/octet-stream', 'content-digest': `sha-256=:${base64}:` }
    return ask('PUT', `${path}/parts/${index + 1}`, { headers: sent, body: parts[index] ?? null })
  }
  return {
    ask,
    path,
    send,
    parts,
    leaks: () => [...leaks, ...service.logLines.filter((line) => reveals(line, PIECES))],
  }
}

const readings = async (storage: ScratchStorage) =>
  (
    await (
      await storage.databaseOf('acme')
    ).batch([{ sql: 'select reading from import_sessions', parameters: [] }])
  ).flatMap(({ rows }) => rows.map(({ reading }) => reading))

test.each(cases)('a file of $format, cut at every byte, $place', async ({ place, format }) => {
  const opened = await openedService(place)
  const text = formats[format]([form, { ...form, formId: 'f-2', password: 'another' }])
  const lines = format === 'csv' ? text.indexOf('\n') + 1 : 0
  const everyByte = Array.from({ length: text.indexOf('f-2') - lines }, (_, index) => lines + index + 1)
  const { ask, path, send, parts, leaks } = await sending(opened, format, text, everyByte)
  for (let index = 0; index < parts.length; index += 1) expect((await send(index)).status).toBe(200)
  expect(await ask('POST', `${path}/commit`)).toMatchObject({ status: 200, body: { state: 'done' } })
  expect(leaks()).toEqual([])
  expect(await readings(opened.storage)).toEqual([''])
  const [stored] = await opened.storage.tenant('acme').findMany('forms', ['passwordHash'], ['f-1'])
  const { passwords } = importTools(() => testSecrets())
  expect(await passwords.verify(PASSWORD, String(stored?.passwordHash))).toBe(true)
})

describe.each(cases)('of an import of $format that ends in a line, $place,', ({ place, format }) => {
  const begun = async () => {
    const opened = await openedService(place)
    const text = formats[format]([form])
    const file = await sending(opened, format, text, [text.indexOf('Quagga') + 9])
    await file.send(0)
    return { ...opened, ...file }
  }

  test('nothing is kept when it is given up', async () => {
    const { ask, path, storage, leaks } = await begun()
    expect(await ask('DELETE', path)).toMatchObject({ body: { state: 'aborted' } })
    expect([leaks(), await readings(storage)]).toEqual([[], ['']])
  })

  test('nothing is kept when it is refused', async () => {
    const opened = await openedService(place)
    const wrong = Array.from({ length: FILE_PROBLEMS_MAX }, () => ({ ...form, isPublished: PASSWORD }))
    const text = formats[format]([...wrong, form])
    const file = await sending(opened, format, text, [text.lastIndexOf('Quagga') + 9])
    expect(await file.send(0)).toMatchObject({ body: { state: 'refused' } })
    expect([file.leaks(), await readings(opened.storage)]).toEqual([[], ['']])
  })

  test('nothing is kept when nobody continues it', async () => {
    const { ask, path, service, storage, leaks } = await begun()
    service.clock.advance(ABANDONED_MS)
    const tools = importTools(() => testSecrets())
    const world = importWorld(storage, newOrganization('acme', 'Acme'), tools)
    await sweepImports({
      imports: createImportDirectory(await storage.databaseOf('acme')),
      openImports: async () => world,
      clock: service.clock,
      log: { info: () => undefined, error: () => undefined },
    })
    expect(await ask('GET', path)).toMatchObject({ body: { state: 'aborted' } })
    expect([leaks(), await readings(storage)]).toEqual([[], ['']])
  })
})

describe('no problem of a file shows the password', () => {
  test.each<[name: string, format: Format, text: string]>([
    ['in another field', 'ndjson', formats.ndjson([{ ...form, isPublished: PASSWORD, createdAt: PASSWORD }])],
    ['in another cell', 'csv', formats.csv([{ ...form, isPublished: PASSWORD, createdAt: PASSWORD }])],
    ['as a key', 'ndjson', formats.ndjson([{ ...form, [PASSWORD]: PASSWORD }])],
    ['as a key within a key', 'ndjson', formats.ndjson([{ ...form, [`x ${PASSWORD}`]: 1 }])],
    ['without another field', 'ndjson', formats.ndjson([{ ...form, isPublished: undefined }])],
    ['in a file without a header', 'csv', formats.csv([form]).split('\n').slice(1).join('\n')],
    ['in a line that is not JSON', 'ndjson', formats.ndjson([form]).replace('}', ']')],
    [
      'in a cell that never ends',
      'csv',
      `${formats.csv([form])}"f-2","F","true","${PASSWORD.split('"', 1)[0] ?? ''}`,
    ],
    [
      'as an id',
      'ndjson',
      formats.ndjson([
        { ...form, formId: PASSWORD },
        { ...form, formId: PASSWORD },
      ]),
    ],
  ])('%s', async (__, format, text) => {
    const { ask, path, send, leaks } = await sending(await openedService('shared'), format, text, [])
    expect((await send(0)).status).toBe(200)
    expect((await ask('POST', `${path}/commit`)).status).toBe(422)
    expect(leaks()).toEqual([])
  })

  test('that is a number, or short', async () => {
    for (const password of [1234567890123456, 'abc']) {
      const text = formats.ndjson([{ ...form, password, [String(password)]: 1 }])
      const { ask, path, send } = await sending(await openedService('shared'), 'ndjson', text, [])
      await send(0)
      const { status, body } = await ask('POST', `${path}/commit`)
      expect([status, JSON.stringify(body)]).toEqual([422, expect.not.stringContaining(String(password))])
    }
  })
})

test('an import goes on while the root secret is rotated, and ends when the old one is gone', async () => {
  const storage = createScratchStorage({ clock: fakeClock() })
  await storage.administration.saveOrganization(newOrganization('acme', 'Acme'))
  const worldUnder = (secrets: () => Promise<Secrets>) =>
    importWorld(storage, newOrganization('acme', 'Acme'), importTools(secrets))
  const bytes = utf8(formats.ndjson([form]))
  const parts = [bytes.slice(0, 50), bytes.slice(50, 90), bytes.slice(90)]
  const digests = await Promise.all(parts.map((part) => sha256(part)))
  const file = {
    kind: 'forms',
    format: 'ndjson',
    totalBytes: bytes.length,
    digest: await digestOfParts(digests),
  } as const
  const before = worldUnder(() => testSecrets(7))
  const opened = await openImport(file, before)
  const importId = opened.kind === 'session' ? opened.session.importId : ''
  const send = (index: number, world: ImportWorld) =>
    receivePart(
      importId,
      { part: index + 1, bytes: parts[index] ?? new Uint8Array(), digest: digests[index] ?? '' },
      world,
    )
  expect((await send(0, before)).kind).toBe('session')
  expect(
    (
      await send(
        1,
        worldUnder(() => testSecrets(8, 7)),
      )
    ).kind,
  ).toBe('session')
  expect(
    await send(
      2,
      worldUnder(() => testSecrets(9)),
    ),
  ).toEqual({
    kind: 'conflict',
    message: 'The root secret was changed while the file was imported. Import it again.',
  })
  expect(await before.sessions.find(importId)).toMatchObject({ state: 'aborted', reading: '' })
})

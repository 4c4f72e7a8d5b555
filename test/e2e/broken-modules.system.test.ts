import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker, loadedFirst, loadedWith } from '../../host-worker/bundle/bundle-worker.mjs'
import { builtWorker } from '../support/services/built-worker.ts'
import { openLiveService, type LiveService } from '../support/services/live-service.ts'

/** The modules with which the interfaces of submissions and of organizations begin. */
const INTERFACES = ['host-worker/wiring/submissions.ts', 'host-worker/wiring/tenants.ts']

/**
 * Opens the service in which no module that is loaded on demand can be evaluated, but for the given ones and what they
 * import.
 */
async function openBroken(directory: string, sound: readonly string[]): Promise<LiveService> {
  cpSync(await builtWorker(), directory, { recursive: true })
  const { modules } = await bundleWorker()
  const kept = new Set(loadedFirst(modules))
  for (const [path, { source }] of modules)
    if (source !== null && sound.includes(source))
      for (const each of loadedWith(modules, path)) kept.add(each)
  const broken = [...modules.keys()].filter((path) => !kept.has(path))
  for (const path of broken) writeFileSync(join(directory, path), "throw new Error('broken')\n")
  return openLiveService({}, { directory })
}

const directory = mkdtempSync(join(tmpdir(), 'broken-modules-'))

let live: LiveService
let without: LiveService
beforeAll(async () => {
  live = await openBroken(join(directory, 'rest'), INTERFACES)
  without = await openBroken(join(directory, 'all'), [])
})
afterAll(async () => {
  await Promise.all([live.close(), without.close()])
  rmSync(directory, { recursive: true, force: true })
})

function get(path: string, { origin, key } = live): Promise<Response> {
  return fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })
}

function submit(answers: Readonly<Record<string, string>>, { origin } = live): Promise<Response> {
  return fetch(`${origin}/api/forms/plain/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', ...answers }),
  })
}

/** The most frequent requests must work with the modules of their interface. */
async function expectHotPaths(): Promise<void> {
  const saved = await submit({ email: 'ada@example.com' })
  expect(saved.status).toBe(200)
  const list = await get('/api/v1/contacts?email=ada@example.com')
  expect(list.status).toBe(200)
  const { data } = (await list.json()) as { readonly data: readonly [{ readonly contactId: string }] }
  expect((await get(`/api/v1/contacts/${data[0].contactId}`)).status).toBe(200)
  expect((await get('/api/v1/contacts/unknown')).status).toBe(404)
}

test('lists, details and submissions load nothing but their interface', expectHotPaths)

test.each(['/api/v1/openapi.json', '/api/v1/members', '/api/v1/contacts?phone=%2B12125550123'])(
  'a module that cannot be loaded fails its own requests alone: %s',
  async (path) => {
    for (let request = 0; request < 3; request += 1) {
      const failed = await get(path)
      expect(failed.status).toBe(500)
      expect(await failed.json()).toEqual({
        error: `The request could not be processed. Request id: ${String(failed.headers.get('x-request-id'))}`,
      })
    }
    await expectHotPaths()
  },
)

test('an interface that cannot be loaded fails its requests in its own words', async () => {
  for (let request = 0; request < 2; request += 1) {
    const list = await get('/api/v1/contacts', without)
    const listId = String(list.headers.get('x-request-id'))
    expect([list.status, await list.json()]).toEqual([
      500,
      { error: `The request could not be processed. Request id: ${listId}` },
    ])
    const saved = await submit({ email: 'ada@example.com' }, without)
    expect([saved.status, saved.headers.get('access-control-allow-origin')]).toEqual([500, '*'])
    expect(await saved.json()).toMatchObject({
      ok: false,
      code: 'internal_error',
      error: expect.stringContaining(`Request id: ${String(saved.headers.get('x-request-id'))}`) as string,
    })
  }
})

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker, loadedFirst } from '../../host-worker/bundle/bundle-worker.mjs'
import { builtWorker } from '../support/services/built-worker.ts'
import type { LiveService } from '../support/services/live-service.ts'
import { openLiveService } from '../support/services/live-service.ts'

/** A folder for a Worker in which no module that is loaded on demand can be evaluated. */
const directory = mkdtempSync(join(tmpdir(), 'broken-modules-'))

let live: LiveService
beforeAll(async () => {
  cpSync(await builtWorker(), directory, { recursive: true })
  const { modules } = await bundleWorker()
  const first = loadedFirst(modules)
  const onDemand = [...modules.keys()].filter((path) => !first.has(path))
  for (const path of onDemand) writeFileSync(join(directory, path), "throw new Error('broken')\n")
  live = await openLiveService({}, { directory })
})
afterAll(async () => {
  await live.close()
  rmSync(directory, { recursive: true, force: true })
})

function get(path: string): Promise<Response> {
  return fetch(live.origin + path, { headers: { authorization: `Bearer ${live.key}` } })
}

function submit(answers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${live.origin}/api/forms/plain/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', ...answers }),
  })
}

/** The most frequent requests must work with the modules that are loaded from the start. */
async function expectHotPaths(): Promise<void> {
  const saved = await submit({ email: 'ada@example.com' })
  expect(saved.status).toBe(200)
  const list = await get('/api/v1/contacts?email=ada@example.com')
  expect(list.status).toBe(200)
  const { data } = (await list.json()) as { readonly data: readonly [{ readonly contactId: string }] }
  expect((await get(`/api/v1/contacts/${data[0].contactId}`)).status).toBe(200)
  expect((await get('/api/v1/contacts/unknown')).status).toBe(404)
}

test('lists, details and submissions load nothing on demand', expectHotPaths)

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

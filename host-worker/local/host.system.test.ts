import { Miniflare } from 'miniflare'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fireCron, startHost } from './host.ts'

test('a cron that logs more than a pipe holds comes to its end', async () => {
  let logged = 0
  const script = `export default {
    async scheduled() { for (let line = 0; line < 3000; line += 1) console.log('x'.repeat(1000)) },
    fetch: () => new Response('here'),
  }`
  const runtime = new Miniflare({
    handleStructuredLogs: () => (logged += 1),
    workers: [
      {
        config: {
          name: 'logs-much',
          compatibilityDate: '2026-01-01',
          manifest: { mainModule: 'worker.js', modules: { 'worker.js': { type: 'esm', contents: script } } },
          env: {},
          exports: {},
        },
      },
    ],
  })
  try {
    await fireCron(runtime, 'logs-much')
    await expect.poll(() => logged, { timeout: 60_000 }).toBe(3000)
  } finally {
    await runtime.dispose()
  }
})

test('a Worker that is built as it was breaks no connection', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'host-'))
  const host = await startHost(directory, { port: 0, isWhole: false, log: () => undefined })
  try {
    // Other tests may build parts of it for the first time meanwhile. Then it is another one, once.
    await expect.poll(() => host.reload(), { timeout: 60_000 }).toBe(false)
    const asked = fetch(`${host.url}/health`)
    expect(await host.reload()).toBe(false)
    expect((await asked).status).toBe(200)
  } finally {
    await host.close()
    rmSync(directory, { recursive: true, force: true })
  }
}, 120_000)

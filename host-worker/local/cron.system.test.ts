import { Miniflare } from 'miniflare'
import { expect, test } from 'vitest'
import { fireCron } from './host.ts'

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

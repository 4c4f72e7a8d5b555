import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { signedHeaders, drawSecret } from '../../../domain/webhooks/signature.ts'
import { fakeRandom } from '../../support/runner/fakes.ts'

// The receivers of the guide "React to a submission", each as it is printed there.

const guide = readFileSync(new URL('../../../host-worker/guides/webhooks.md', import.meta.url), 'utf8')
const blockIn = (language: string) =>
  new RegExp(`\n\`\`\`${language}\n([^]*?)\n\`\`\``).exec(guide)?.[1] ?? ''
const secret = drawSecret(fakeRandom(4))
// Within the project, where packages are found.
const folder = join(import.meta.dirname, '../../../.wrangler')
mkdirSync(folder, { recursive: true })
const directory = mkdtempSync(join(folder, 'receivers-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill()
  rmSync(directory, { recursive: true })
})

const receivers = [
  { language: 'js', file: 'receiver.mjs', command: process.execPath, args: (path: string) => [path] },
  { language: 'python', file: 'receiver.py', command: 'python3', args: (path: string) => [path] },
  {
    language: 'php',
    file: 'receiver.php',
    command: 'php',
    args: (path: string, port: number) => ['-S', `127.0.0.1:${port}`, path],
  },
]

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe.each(receivers)('the receiver in $language', ({ language, file, command, args }) => {
  const isThere = spawnSync(command, ['--version']).status === 0

  test.skipIf(!isThere)('takes what is genuine, and nothing else', { timeout: 60_000 }, async () => {
    const path = join(directory, file)
    writeFileSync(path, blockIn(language))
    const port = await freePort()
    const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret }
    const child = spawn(command, args(path, port), { env })
    children.push(child)
    const said: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => said.push(String(data)))
    const url = `http://127.0.0.1:${port}/`
    await expect
      .poll(
        () =>
          fetch(url, { method: 'POST', body: '' }).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 30_000 },
      )
      .toBe(401)
    const body = JSON.stringify({ type: 'submission.created', timestamp: 'now', data: { name: 'Grüße' } })
    const atMs = Date.now()
    const send = async (text: string, headers: Readonly<Record<string, string>>) =>
      (
        await fetch(url, {
          method: 'POST',
          body: text,
          headers: { ...headers, 'content-type': 'application/json' },
        })
      ).status
    const genuine = await signedHeaders({ id: 'whd_1', atMs, body }, [secret])
    expect(await send(body, genuine)).toBe(204)
    expect(await send(body, genuine)).toBe(204)
    const other = drawSecret(fakeRandom(5))
    expect(await send(body, await signedHeaders({ id: 'whd_2', atMs, body }, [other, secret]))).toBe(204)
    const refused = [
      [`${body} `, genuine],
      [body, { ...genuine, 'webhook-id': 'whd_9' }],
      [body, { ...genuine, 'webhook-timestamp': String(Math.floor(atMs / 1000) + 1) }],
      [body, { ...genuine, 'webhook-signature': 'v1,' }],
      [body, { ...genuine, 'webhook-signature': `v2${genuine['webhook-signature']?.slice(2) ?? ''}` }],
      [body, await signedHeaders({ id: 'whd_3', atMs, body }, [other])],
      [body, await signedHeaders({ id: 'whd_3', atMs: atMs - 3_600_000, body }, [secret])],
      [body, {}],
    ] as const
    for (const [text, headers] of refused) expect(await send(text, headers)).toBe(401)
    if (language !== 'php') {
      const told = said
        .join('')
        .split('\n')
        .filter((line) => line.startsWith('submission.created'))
      expect(told).toHaveLength(2)
    }
  })
})

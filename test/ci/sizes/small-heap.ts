/**
 * What a stranger can store and send must not exhaust a Worker's memory, which is 128 MB: the service runs in a process
 * whose heap is as small, while a tenant reads everything, callers send the worst bodies, and an operator imports a
 * large file. `HEAP_SUBMISSIONS` is the number of stored submissions, of which a page of 500 would be 180 MB if it did not
 * end early; `HEAP_IMPORT_ROWS` is that of rows in the file.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { importThroughService } from '../../../host-worker/operator/client/import-client.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { writeManyContacts } from '../../support/data/contact-files.ts'
import { operatorCall } from '../../support/services/operator/operator-http.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'

const SUBMISSIONS = Number(process.env.HEAP_SUBMISSIONS ?? 600)
const IMPORT_ROWS = Number(process.env.HEAP_IMPORT_ROWS ?? 100_000)
const HEAP_MIB = 128
const PAGE_MAX_BYTES = 4 * 1024 * 1024

const { check, report, say } = createChecks()
const server = spawn(
  process.execPath,
  [
    `--max-old-space-size=${HEAP_MIB}`,
    join(import.meta.dirname, 'small-heap-server.ts'),
    join(scratchDirectory(), 'data.sqlite'),
    String(SUBMISSIONS),
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
process.on('exit', () => server.kill('SIGKILL'))
const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
const { origin, key, operatorKey } = JSON.parse(line) as Readonly<
  Record<'origin' | 'key' | 'operatorKey', string>
>
const authorization = `Bearer ${key}`

interface Page {
  readonly data: readonly { readonly submissionId: string }[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** One page after a cursor, and its size. */
async function readPage(cursor: string): Promise<Page & { readonly bytes: number }> {
  const more = cursor === '' ? '' : `&cursor=${cursor}`
  const path = `/api/v1/forms/submissions?updatedAfter=2020-01-01T00:00:00Z&limit=500${more}`
  const response = await fetch(origin + path, { headers: { authorization } })
  const text = await response.text()
  assert.equal(response.status, 200, text.slice(0, 200))
  return { ...(JSON.parse(text) as Page), bytes: Buffer.byteLength(text) }
}

await check(`a sync with limit=500 reads all ${SUBMISSIONS} submissions of control characters`, async () => {
  const seen = new Set<string>()
  let [pages, largestBytes] = [0, 0]
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(cursor)
    for (const { submissionId } of page.data) {
      assert.ok(!seen.has(submissionId), `${submissionId} came twice`)
      seen.add(submissionId)
    }
    pages += 1
    largestBytes = Math.max(largestBytes, page.bytes)
    cursor = page.pagination.nextCursor
  }
  say(`        ${pages} pages, the largest of ${largestBytes} bytes`)
  assert.equal(seen.size, SUBMISSIONS)
  assert.ok(largestBytes <= PAGE_MAX_BYTES)
})

const email = '"to":"ada@example.com","subject":"s","html":"h"'
const bodies = [
  [
    '/api/v1/email',
    'three million bytes of attachments that are none',
    `{${email},"attachments":[${zeros(1_500_000)}]}`,
  ],
  ['/api/v1/email', 'as many recipients', `{"to":[${zeros(1_500_000)}],"subject":"s","html":"h"}`],
  [
    '/api/v1/email',
    'empty objects for recipients',
    `{"to":[${'{},'.repeat(900_000)}{}],"subject":"s","html":"h"}`,
  ],
  ['/api/v1/email', 'arrays in arrays', `{${email},"attachments":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ['/api/v1/message', 'recipients', `{"to":[${zeros(120_000)}],"body":"b"}`],
  ['/api/v1/message', 'attachments', `{"to":"2125550100","body":"b","attachments":[${zeros(120_000)}]}`],
] as const

for (const [path, what, body] of bodies) {
  await check(`${path}: ${what}`, async () => {
    const send = () =>
      fetch(origin + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      })
    // Several at once, as an attacker would send them.
    for (const response of await Promise.all([send(), send(), send()])) {
      const text = await response.text()
      assert.equal(response.status, 400, text.slice(0, 200))
      assert.ok(text.length < 20_000, `the answer has ${text.length} characters`)
    }
  })
}
await check(`an import of ${IMPORT_ROWS} contacts`, async () => {
  const path = join(scratchDirectory(), 'contacts.ndjson')
  await writeManyContacts(path, IMPORT_ROWS)
  const outcome = await importThroughService({
    organizationId: 'acme',
    url: origin,
    call: operatorCall(origin, operatorKey),
    kind: 'contacts',
    format: 'ndjson',
    source: { open: () => createReadStream(path, { highWaterMark: 256 * 1024 }) },
    onProgress: () => undefined,
  })
  assert.deepEqual(outcome, {
    kind: 'imported',
    read: IMPORT_ROWS,
    changed: IMPORT_ROWS,
    unchanged: 0,
    fresh: null,
    merged: null,
    skipped: 0,
    warnings: [],
  })
  say(`        ${Math.round(statSync(path).size / 1024 / 1024)} MiB`)
})
await check('the process is still there', () => {
  assert.deepEqual([server.exitCode, server.signalCode], [null, null])
})
server.kill('SIGKILL')
report()
process.exit()

function zeros(count: number): string {
  return `${'0,'.repeat(count - 1)}0`
}

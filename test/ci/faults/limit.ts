import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createChecks } from '../../support/runner/checks.ts'
import { writeNdjson } from '../../support/data/contact-files.ts'
import {
  freePort,
  operateOrThrow,
  scratchDirectory,
  startService,
} from '../../support/services/started-service.ts'
import { walk } from '../../support/data/walk.ts'

const POSTS = 100
const LIMIT = 3

const { check, report, say } = createChecks()
const state = scratchDirectory()
const file = join(scratchDirectory(), 'forms.ndjson')

writeNdjson(file, [
  {
    formId: 'limited',
    name: 'Limited',
    isPublished: true,
    notificationEmails: ['office@example.com'],
    submissionLimitPerContact: LIMIT,
    fields: [
      { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
      { id: 'note', type: 'short_text', label: 'Note' },
    ],
  },
])

interface Answer {
  readonly status: number
  readonly body: { readonly ok: boolean; readonly code?: string; readonly submissionId?: string }
}

async function post(origin: string, email: string, note: string): Promise<Answer> {
  const response = await fetch(`${origin}/api/forms/limited/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', email, note }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

/** The posts use one email address in two spellings, which identify the same contact. */
function postAtOnce(origin: string, name: string): Promise<readonly Answer[]> {
  const spellings = [`${name}@example.com`, `${name.toUpperCase()}@Example.COM`]
  return Promise.all(
    Array.from({ length: POSTS }, (_, index) => post(origin, spellings[index % 2] ?? '', `post ${index}`)),
  )
}

function count(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const kind = `${status} ${body.code ?? 'saved'}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

const service = await startService({ port: await freePort(), stateDirectory: state })
await operateOrThrow(state, 'org', 'create', '--id', 'acme', '--name', 'Acme')
await operateOrThrow(state, 'import', 'forms', file, '--org', 'acme')
const key = await operateOrThrow(state, 'key', 'issue', '--org', 'acme')
const saved: string[] = []

for (const name of ['ada', 'bo']) {
  await check(`of ${POSTS} parallel posts by ${name}, ${LIMIT} are saved`, async () => {
    const startedAt = performance.now()
    const answers = await postAtOnce(service.origin, name)
    say(`        ${Math.round(performance.now() - startedAt)} ms`)
    saved.push(...answers.flatMap(({ body }) => body.submissionId ?? []))
    assert.deepEqual(count(answers), { '200 saved': LIMIT, '422 submission_limit_reached': POSTS - LIMIT })
  })
}
await check('the tenant reads exactly what was acknowledged, of two contacts', async () => {
  const submissions = await walk(service.origin, '/api/v1/forms/limited/submissions', key)
  const ids = submissions.rows.map(({ submissionId }) => String(submissionId))
  assert.deepEqual([...ids].sort(), [...saved].sort())
  const { rows } = await walk(service.origin, '/api/v1/contacts', key)
  assert.deepEqual(rows.map(({ email }) => String(email).toLowerCase()).sort(), [
    'ada@example.com',
    'bo@example.com',
  ])
})
await check('a further post is refused, too', async () => {
  assert.equal((await post(service.origin, 'ada@example.com', 'late')).body.code, 'submission_limit_reached')
})
await service.stop()
report()
process.exit()

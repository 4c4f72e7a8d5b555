import assert from 'node:assert/strict'
import { createChecks } from '../support/checks.ts'
import type { Ran } from '../support/readme-tour.ts'
import { runTour, tourCommands } from '../support/readme-tour.ts'
import { freePort, scratchDirectory, startService } from '../support/started-service.ts'

const { check, report } = createChecks()
const state = scratchDirectory()
const port = await freePort()

type Json = Readonly<Record<string, unknown>>

interface Expectation {
  readonly name: string
  /** Finds the command among those of the tour. */
  readonly is: (command: string) => boolean
  readonly holds: (output: string, ran: readonly Ran[]) => void | Promise<void>
}

function json(output: string): Json {
  return JSON.parse(output) as Json
}

function rows(output: string): readonly Json[] {
  return json(output).data as readonly Json[]
}

function isSubmission(command: string): boolean {
  return command.includes('/api/forms/demo-contact/submissions') && command.includes('"email"')
}

/** What the tour promises above its commands. */
const expectations: readonly Expectation[] = [
  {
    name: 'a visitor submits the form',
    is: isSubmission,
    holds: (output) => {
      const { ok, submissionId, title } = json(output)
      assert.equal(ok, true)
      assert.match(String(submissionId), /^sub_\w+$/)
      assert.equal(typeof title, 'string')
    },
  },
  {
    name: 'a wrong answer names its field',
    is: (command) => command.includes("-d 'email=ada'"),
    holds: (output) => {
      const { ok, code, fieldErrors } = json(output)
      assert.deepEqual({ ok, code }, { ok: false, code: 'validation_error' })
      assert.equal(typeof (fieldErrors as Json).email, 'string')
    },
  },
  {
    name: 'the tenant reads the submission back',
    is: (command) => command.includes('/api/v1/forms/demo-contact/submissions?limit=1'),
    holds: (output, ran) => {
      const receipt = json(ran.find(({ command }) => isSubmission(command))?.output ?? '{}')
      const [submission] = rows(output)
      assert.equal(submission?.submissionId, receipt.submissionId)
      assert.deepEqual(submission?.attribution, { utm_source: 'tour' })
    },
  },
  {
    name: 'with the one contact that it made',
    is: (command) => command.includes('/api/v1/contacts?email='),
    holds: (output) => {
      assert.deepEqual(
        rows(output).map(({ firstName, email }) => ({ firstName, email })),
        [{ firstName: 'Ada', email: 'ada@example.com' }],
      )
    },
  },
  {
    name: 'a text message is sent to whom it can be',
    is: (command) => command.includes('/api/v1/message'),
    holds: (output) => {
      const { success, results } = json(output)
      const [sent, refused] = results as readonly Json[]
      assert.equal(success, false)
      assert.deepEqual(sent, { to: '+12125550123', success: true })
      assert.deepEqual([refused?.to, refused?.success], ['555', false])
    },
  },
  {
    name: 'an email is sent, and is in the mailbox with its attachment',
    is: (command) => command.includes('/api/v1/email'),
    holds: async (output) => {
      const { success, results } = json(output)
      const [sent] = results as readonly Json[]
      assert.deepEqual([success, sent?.to, sent?.success], [true, 'ada@example.com', true])
      const response = await fetch(`http://127.0.0.1:${port}/mailbox`, {
        headers: { accept: 'application/json' },
      })
      const { messages } = (await response.json()) as { readonly messages: readonly Json[] }
      const kept = messages.find(({ messageId }) => messageId === sent?.id)
      assert.deepEqual(kept?.attachments, [{ filename: 'receipt.txt', path: null, sizeBytes: 6 }])
    },
  },
  {
    name: 'the cursor leads to the next page',
    is: (command) => command.includes('cursor=$CURSOR'),
    holds: (output) => {
      assert.equal(rows(output).length, 2)
    },
  },
  {
    name: 'a sync runs forward from an instant',
    is: (command) => command.includes('updatedAfter='),
    holds: (output) => {
      const times = rows(output).map(({ updatedAt }) => String(updatedAt))
      assert.equal(times.length, 2)
      assert.deepEqual(times, [...times].sort())
    },
  },
  {
    name: 'the contract document is served',
    is: (command) => command.includes('/api/v1/openapi.json'),
    holds: (output) => {
      assert.match(output, /^\s*\{\s*"openapi":\s*"3\.1/)
    },
  },
]

async function tour(time: string, origin: string): Promise<void> {
  let ran: readonly Ran[] = []
  await check(`${time}: every command of the tour works`, async () => {
    ran = await runTour(origin, state)
    const failed = ran.filter(({ exitCode }) => exitCode !== 0)
    assert.deepEqual(failed, [])
    const silent = ran.filter(({ command, output }) => command.startsWith('curl') && output.trim() === '')
    assert.deepEqual(silent, [])
  })
  for (const { name, is, holds } of expectations) {
    await check(`${time}: ${name}`, async () => {
      const found = ran.filter(({ command }) => is(command))
      assert.equal(found.length, 1, 'one command of the tour shows it')
      await holds(found[0]?.output ?? '', ran)
    })
  }
}

await check('the README has a tour', () => {
  assert(tourCommands().length > expectations.length)
})
for (const time of ['first', 'after a restart']) {
  const service = await startService({ port, stateDirectory: state })
  await tour(time, service.origin)
  await service.stop()
}
report()
process.exit()

import assert from 'node:assert/strict'
import { emailAbout, fillIn } from '../../support/manuals/guide-form.ts'
import type { Ran } from '../../support/manuals/readme-commands.ts'

type Json = Readonly<Record<string, unknown>>

/** What a manual promises of one of its commands. */
export interface Expectation {
  readonly name: string
  /** Whether a command of the tour is the one that this expectation is about. */
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

/** The results that the README and the guides promise for their commands, of the service on this port. */
export const expectationsOf = (port: number): readonly Expectation[] => [
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
    is: (command) => command.includes('/api/v1/contacts?email=') && command.includes('Bearer $KEY'),
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
    name: 'the typed client copies every contact',
    is: (command) => command.includes('test/client sync'),
    holds: (output) => {
      const counts = [...output.matchAll(/^(\d+) contacts$/gm)].map(([, count]) => Number(count))
      assert(counts.reduce((sum, count) => sum + count, 0) > 0)
    },
  },
  {
    name: 'the first form has an address, its visitor is told, and its owner has the submission and an email',
    is: (command) => command.includes('/api/forms/pier-booking/submissions'),
    holds: async (output, ran) => {
      assert.equal(json(output).ok, true)
      const outputOf = (words: string) => ran.find(({ command }) => command.includes(words))
      const address = `http://127.0.0.1:${port}/f/pier-booking`
      assert.match(
        outputOf('form save /tmp/pier-booking.json')?.told ?? '',
        new RegExp(`Its page: ${address}$`, 'm'),
      )
      assert.match(
        outputOf('form list --org pier')?.output ?? '',
        new RegExp(`  ${address}  Book a wash$`, 'm'),
      )
      assert.match(outputOf('submissions list --org pier')?.output ?? '', /ada@example\.com/)
      assert.match(
        outputOf('pier-booking --csv --labels')?.output ?? '',
        /,Which wash\?,[^]*,Something else,Boat,,Yes/,
      )
      assert.match(outputOf('/f/pier-booking')?.output ?? '', /<h1>Book a wash<\/h1>/)
      const response = await fetch(`http://127.0.0.1:${port}/mailbox`, {
        headers: { accept: 'application/json' },
      })
      const { messages } = (await response.json()) as { readonly messages: readonly Json[] }
      assert(
        messages.some(({ to, subject }) => to === 'desk@example.com' && /Book a wash/.test(String(subject))),
      )
    },
  },
  {
    name: 'a list from the guide is first counted, then imported, and its row with a problem mended',
    is: (command) => command.includes('contacts?limit=50') && command.includes('CORNER_KEY'),
    holds: (output, ran) => {
      const contacts = rows(output).map(({ firstName, email, attributes }) => [firstName, email, attributes])
      assert.deepEqual(contacts.sort(), [
        ['Ada', 'ada@example.com', { birthday: '10.12.1815' }],
        ['Alan', 'alan@example.com', { birthday: '23.6.1912' }],
        ['Grace', 'grace@example.com', { birthday: '9.12.1906' }],
      ])
      const [counted = '', imported = ''] = ran
        .filter(({ command }) => command.includes('import contacts /tmp/customers.csv'))
        .map(({ output: said }) => /^contacts: 3 read: (.+?)[.\n]/.exec(said)?.[1] ?? said)
      assert.equal(counted.replace(' would be', ''), imported)
      assert.match(imported, /, 1 merged, 1 empty row skipped, 1 with problems skipped$/)
    },
  },
  {
    name: 'a form made from the guide works on its page, sends emails and fills a sheet',
    is: (command) => command === 'cat /tmp/harbor-claim.csv',
    holds: async (output) => {
      const sheet = output
        .replace(/^\uFEFF/, '')
        .trimEnd()
        .split('\r\n')
      assert.equal(sheet[0], 'submissionId,submittedAt,formId,contactId,email,kind,what')
      const row = (email: string) => sheet.find((line) => line.includes(`,${email},`)) ?? ''
      assert.match(
        row('ada@example.com'),
        /^sub_\w+,[^,]+,harbor-claim,con_\w+,ada@example\.com,other,An antenna$/,
      )
      assert.match(row('bo@example.com'), /,mirror,$/)
      const { to, text } = await emailAbout(
        await fillIn('/tmp/harbor-claim.html'),
        `http://127.0.0.1:${port}/mailbox`,
      )
      assert.equal(to, 'office@example.com')
      assert.match(String(text), /The roof/)
    },
  },
  {
    name: 'a page that moved in sends what the form does not ask for, and says the subject',
    is: (command) => command.includes('--form harbor-contact --csv'),
    holds: async (output) => {
      assert.match(
        output,
        /,email,extra\.subject,extra\.replyTo,extra\.company\r\n.*,ada@example\.com,From the web site,ada@work\.example,Lovelace/,
      )
      const { to, subject } = await emailAbout('Lovelace', `http://127.0.0.1:${port}/mailbox`)
      assert.deepEqual([to, subject], ['office@example.com', 'From the web site'])
    },
  },
  {
    name: 'what follows a submission says what was answered, and is tried by oneself',
    is: (command) => command.includes('automation show harbor-thanks'),
    holds: async (output) => {
      assert.equal(json(output).status, 'active')
      const mailbox = `http://127.0.0.1:${port}/mailbox`
      const sent = await emailAbout('about: Something else A &lt;b&gt;hook&lt;/b&gt;', mailbox)
      assert.deepEqual([sent.to, sent.subject], ['ada@example.com', 'Your claim: Something else'])
      const tried = await emailAbout('about: A mirror (What was it?)', mailbox)
      assert.deepEqual([tried.to, tried.subject], ['you@example.com', '[Test] Your claim: A mirror'])
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

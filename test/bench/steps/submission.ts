import { createSubmissionWriter } from '../../../adapters/sqlite/write/submission-writer.ts'
import { bind } from '../../../adapters/sqlite/statement/compiler.ts'
import { uncounted } from '../../../adapters/sqlite/statement/executor.ts'
import { advanceClock, nowOf } from '../../../adapters/sqlite/write/write-clock.ts'
import { readBody } from '../../../domain/forms/body/body.ts'
import type { SubmittedBody } from '../../../domain/forms/definition/answers/entries.ts'
import { serveSubmission } from '../../../domain/forms/serve.ts'
import { loadForm, type LoadedForm } from '../../../domain/forms/submit/cache.ts'
import { evaluate } from '../../../domain/forms/submit/evaluate.ts'
import { contentTypeOf } from '../../../domain/text/content-type.ts'
import { randomBase62 } from '../../../domain/text/encoding.ts'
import { systemClock, systemDeadline, systemRandom } from '../../../host-worker/system.ts'
import { secretsOf } from '../../../host-worker/wiring/opening.ts'
import type { NewSubmission } from '../../../ports/records.ts'
import { INSERT } from '../bare/bare-statements.mjs'
import { executorOf, routed, routedTo, worldOf, type Arrived, type Step } from './step.ts'

const ORGANIZATION = 'bench'

async function bodyOf({ request }: Arrived): Promise<SubmittedBody> {
  const reading = await readBody({ request, contentType: contentTypeOf(request.headers) }, systemDeadline)
  if (reading.kind === 'refused') throw new Error(reading.error)
  return reading.body
}

function formIdOf({ url }: Arrived): string {
  return url.pathname.split('/').at(-2) ?? ''
}

function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22, (length) => systemRandom.bytes(length))}`
}

const forms = new Map<string, LoadedForm>()

/** The form. As in the service, the isolate looks it up at the first request and then remembers it. */
async function formOf(arrived: Arrived): Promise<LoadedForm> {
  const formId = formIdOf(arrived)
  const known = forms.get(formId)
  if (known !== undefined) return known
  const stored = await (await worldOf(arrived)).forms.find(formId)
  if (stored === null) throw new Error(`There is no form ${formId}`)
  const loaded = loadForm(stored)
  forms.set(formId, loaded)
  return loaded
}

/** A step that judges the submission against its form and then saves it. */
function saving(adds: string, save: (submission: NewSubmission, arrived: Arrived) => Promise<unknown>): Step {
  return {
    adds,
    answer: async (arrived) => {
      const body = await bodyOf(arrived)
      const submittedAt = nowOf(systemClock)
      const judged = await evaluate(
        await formOf(arrived),
        { body, origin: null, submittedAt, newId },
        await secretsOf(arrived.env),
      )
      if (judged.kind !== 'acceptable') throw new Error(`The submission is ${judged.kind}`)
      await save(judged.submission, arrived)
      return Response.json({ ok: true, submissionId: judged.submission.submissionId })
    },
  }
}

/** The fields of a submission that the bare worker stores. */
type Inserted = Pick<NewSubmission, 'submissionId' | 'formId' | 'answers' | 'submittedAt'>

function insertParameters({ submissionId, formId, answers, submittedAt }: Inserted) {
  return [ORGANIZATION, submissionId, formId, JSON.stringify(answers), submittedAt, submittedAt]
}

function insertPlainly(submission: Inserted, { database }: Arrived) {
  return database
    .prepare(INSERT)
    .bind(...insertParameters(submission))
    .run()
}

function saveSubmission(submission: NewSubmission, arrived: Arrived) {
  const executor = executorOf(arrived)
  const writer = createSubmissionWriter({ executor, submissions: executor }, systemClock, ORGANIZATION)
  return writer.saveSubmission(submission)
}

/** Everything that the service adds to reading a JSON body and inserting a row, step by step. */
export const submissionSteps: readonly Step[] = [
  {
    adds: 'the body is read within bounds of size and time, and its type is checked',
    answer: async (arrived) => {
      const { entries } = await bodyOf(arrived)
      const answers = Object.fromEntries([...entries].map(([key, [value]]) => [key, value]))
      const submissionId = newId('sub')
      const inserted = { submissionId, formId: formIdOf(arrived), answers, submittedAt: nowOf(systemClock) }
      await insertPlainly(inserted, arrived)
      return Response.json({ ok: true, submissionId })
    },
  },
  saving('the answers are judged by the form: fields, conditions, control keys, contact', insertPlainly),
  saving("a second statement moves the organization's clock, both in one batch", (submission, arrived) => {
    const now = nowOf(systemClock)
    return executorOf(arrived).batch([
      uncounted(bind(advanceClock, { organizationId: ORGANIZATION, now })),
      uncounted({ sql: INSERT, parameters: insertParameters(submission) }),
    ])
  }),
  saving(
    'by the view of submissions: version of the form, moves, repeats, automations; what was saved (no contact yet)',
    (submission, arrived) => saveSubmission({ ...submission, contact: null, outbox: [] }, arrived),
  ),
  saving('the contact is matched, and the row is in the indexes of contacts', (submission, arrived) =>
    saveSubmission({ ...submission, outbox: [] }, arrived),
  ),
  saving('what follows is written to the outbox', saveSubmission),
  {
    adds: 'the ports, made anew for each request; the form from its cache, the reply',
    answer: async (arrived) => {
      const request = { ...routedTo(arrived, { formId: formIdOf(arrived) }), query: {} }
      const { body, status, headers } = await serveSubmission(request, await worldOf(arrived))
      return new Response(body, { status, headers })
    },
  },
  routed,
]

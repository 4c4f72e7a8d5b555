import { createScratchStorage, type ScratchStorage } from '../scratch/scratch-storage.ts'
import { sweep } from '../../../domain/jobs/deliver.ts'
import { eventResources } from '../../../domain/resources/index.ts'
import type { HookWorld, JobWorld } from '../../../domain/jobs/work.ts'
import type {
  EmailMessage,
  EmailSender,
  SendRecord,
  SendResult,
  SmsMessage,
  SmsSender,
} from '../../../ports/messaging.ts'
import type { OutboxRef } from '../../../ports/outbox.ts'
import { automation, ada } from '../../../adapters/conformance/outbox.ts'
import { form, organization, submission } from '../../../adapters/conformance/fixtures.ts'
import type { PersonRole } from '../../../ports/operators.ts'
import type { NewSubmission } from '../../../ports/records.ts'
import type { Storage } from '../../../ports/storage.ts'
import { fakeClock, fakeRandom, testSecrets, type FakeClock } from '../runner/fakes.ts'

/** A provider that records what it delivered. */
export interface FakeProvider<Message, Sender> {
  readonly sender: Sender
  /** The messages that reached their recipient, in order. */
  readonly delivered: readonly (readonly [key: string, message: Message])[]
  /** The answers to the next calls, which then deliver nothing. */
  readonly answers: SendResult[]
}

/**
 * An email provider that recognises idempotency keys for ever, refuses a key that comes with another message, and
 * refuses reply addresses under `.invalid`, as if they did not exist.
 */
export function fakeEmail(): FakeProvider<EmailMessage, EmailSender> {
  const delivered: [string, EmailMessage][] = []
  const answers: SendResult[] = []
  const send = async (message: EmailMessage, key: string): Promise<SendResult> => {
    const answer = answers.shift()
    if (answer !== undefined) return answer
    if (message.replyTo?.endsWith('.invalid') === true) return { kind: 'refused', reason: 'Refused.' }
    const known = delivered.find(([other]) => other === key)
    if (known === undefined) delivered.push([key, message])
    else if (JSON.stringify(known[1]) !== JSON.stringify(message))
      throw new Error(`Another message under ${key}`)
    return { kind: 'accepted', providerId: `re_${key}` }
  }
  return { sender: { capabilities: { idempotencyMs: 86_400_000 }, send }, delivered, answers }
}

/** An SMS provider without idempotency keys: it delivers a message twice when it gets it twice. */
export function fakeSms(): FakeProvider<SmsMessage, SmsSender> {
  const delivered: [string, SmsMessage][] = []
  const answers: SendResult[] = []
  const send = async (message: SmsMessage, key: string): Promise<SendResult> => {
    const answer = answers.shift()
    if (answer !== undefined) return answer
    delivered.push([key, message])
    return { kind: 'accepted', providerId: `SM${delivered.length}` }
  }
  return { sender: { capabilities: { idempotencyMs: 0 }, shortcode: '12345', send }, delivered, answers }
}

/** A receiver of webhooks. */
export interface FakeReceiver {
  readonly fetch: HookWorld['fetch']
  /** The requests that reached it, in order. */
  readonly calls: readonly ReceivedCall[]
  /** What it does with the next calls: an answer, or none. Without one it answers 204. */
  readonly answers: (() => Response | Promise<Response>)[]
}

export interface ReceivedCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: RequestRedirect | undefined
}

export function fakeReceiver(): FakeReceiver {
  const calls: ReceivedCall[] = []
  const answers: FakeReceiver['answers'] = []
  return {
    calls,
    answers,
    async fetch(url, { headers, body, redirect, signal }) {
      calls.push({
        url,
        headers: Object.fromEntries(new Headers(headers)),
        body: typeof body === 'string' ? body : '',
        redirect,
      })
      const answer = await answers.shift()?.()
      signal?.throwIfAborted()
      return answer ?? new Response(null, { status: 204 })
    },
  }
}

/** The ports that telling webhooks needs, over a storage. */
export function hooksOf(
  { webhooks, tenant, people }: Pick<Storage, 'webhooks' | 'tenant' | 'people'>,
  fetch: HookWorld['fetch'],
): HookWorld {
  const resourceOf = (event: string) => eventResources.get(event)
  return { webhooks, tenant, people, resourceOf, secrets: () => testSecrets(), fetch, isLocal: false }
}

/** Adds people to a storage: address, organization (null: the service) and role. */
export async function addPeople(
  { operatorChanges }: Pick<Storage, 'operatorChanges'>,
  ...people: readonly (readonly [person: string, organizationId: string | null, role: PersonRole])[]
): Promise<void> {
  for (const [person, organizationId, role] of people) {
    const at = '2026-01-01T00:00:00.000Z'
    const entry = { auditId: person + role, at, operatorKeyId: null, operator: 'test', action: 'person.save' }
    const added = { person, email: person, organizationId, role, name: null, addedAt: at, addedBy: 'x' }
    await operatorChanges({ ...entry, organizationId: null, subject: null }).savePerson(added, null, null)
  }
}

/** The follow-up work of a service, on a scratch storage and fake providers. */
export interface JobBench {
  readonly world: JobWorld
  readonly clock: FakeClock
  readonly storage: ScratchStorage
  readonly email: FakeProvider<EmailMessage, EmailSender>
  readonly sms: FakeProvider<SmsMessage, SmsSender>
  /** What webhooks call. */
  readonly receiver: FakeReceiver
  /** What was logged as an error. */
  readonly errors: readonly string[]
  /** Saves a submission, by Ada unless an answer says otherwise, that notifies these addresses and triggers the automations. Returns the entries. */
  readonly submit: (
    submissionId: string,
    addresses: readonly string[],
    answers?: Readonly<Record<string, string>>,
    changes?: Partial<NewSubmission>,
  ) => Promise<readonly OutboxRef[]>
  /** Fires the cron trigger once a minute until nothing is due any more, for at most two days. */
  readonly settle: (world?: JobWorld) => Promise<void>
  readonly sends: () => Promise<readonly SendRecord[]>
}

/** Opens a bench with the organization `acme`, its form, contact and static list, and an automation of these steps. */
export async function openJobBench(steps: readonly unknown[] = [], settings: object = {}): Promise<JobBench> {
  const clock = fakeClock()
  const storage = createScratchStorage({ clock })
  const email = fakeEmail()
  const sms = fakeSms()
  const receiver = fakeReceiver()
  const errors: string[] = []
  await storage.administration.saveOrganization(
    organization('acme', { name: 'Acme', slug: 'acme', smsNumber: '+12125550100', ...settings }),
  )
  const tenant = storage.tenant('acme')
  const fields = [
    { id: 'question', type: 'short_text', label: 'Question' },
    { id: 'email', type: 'email', label: 'Email', contactField: 'email' },
  ]
  await tenant.upsert('forms', [form('form-1', { definition: { formId: 'form-1', fields } })])
  await tenant.upsert('contacts', [{ ...ada, phone: '+12125550123' }])
  const list = {
    listId: 'list',
    name: 'List',
    description: null,
    type: 'static',
    createdAt: '2026-01-01T00:00:00.000Z',
  }
  await tenant.upsert('contact-lists', [list])
  if (steps.length > 0) await tenant.upsert('automations', [automation('auto', { steps })])
  const world: JobWorld = {
    outbox: storage.outbox,
    email: email.sender,
    sms: sms.sender,
    mail: { domain: 'mail.example.com', brand: 'Platform' },
    hooks: hooksOf(storage, receiver.fetch),
    clock,
    // Longer than any work in memory takes, and short for a test.
    deadline: { after: () => AbortSignal.timeout(25) },
    random: fakeRandom(),
    log: { info: () => undefined, error: (event) => errors.push(event) },
  }
  return {
    world,
    clock,
    storage,
    email,
    sms,
    receiver,
    errors,
    async submit(
      submissionId,
      addresses,
      answers: Readonly<Record<string, string>> = { question: 'answer' },
      changes = {},
    ) {
      const outbox = addresses.map((to, index) => ({
        outboxId: `${submissionId}-${index}`,
        kind: 'notification_email',
        payload: { submissionId, formId: 'form-1', to },
      }))
      const outcome = await tenant.saveSubmission(
        submission(
          submissionId,
          { outbox, answers, ...changes },
          { email: answers.email ?? 'ada@example.com' },
        ),
      )
      if (outcome.kind !== 'saved') throw new Error(outcome.kind)
      return outcome.outboxIds.map((outboxId) => ({ organizationId: 'acme', outboxId }))
    },
    async settle(on = world) {
      for (let minute = 0; minute < 4 * 24 * 60; minute += 1) {
        if (!(await storage.outboxOf('acme')).some(({ status }) => status === 'pending')) return
        clock.advance(60_000)
        await sweep(on)
      }
    },
    sends: () => storage.sends.open('acme').list(null, 1000),
  }
}

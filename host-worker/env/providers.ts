import * as v from 'valibot'
import { DUB_URL } from '../../adapters/links-dub/api-url.ts'
import { ClickHouse } from './exit-survey.ts'
import { Mail, Resend, Twilio } from './messaging.ts'
import { CloudflareQueue, Qstash } from './queues.ts'
import type { Bindings, Problems } from './variables.ts'
import { apiRoot, isAnySet, read, text, worker } from './variables.ts'

const Mailbox = v.pipe(
  v.object({
    LOCAL_MAILBOX: v.pipe(text, v.picklist(['', '0', '1'], 'must be 1 or left out')),
    LOCAL_START: worker('must be left out'),
  }),
  // A mailbox shows every message to everybody, so a variable alone must not open one in a deployment.
  v.forward(
    v.check(
      ({ LOCAL_MAILBOX: mailbox, LOCAL_START: localStart }) => mailbox !== '1' || localStart !== null,
      'must be left out: only "npm start" has a mailbox',
    ),
    ['LOCAL_MAILBOX'],
  ),
)

/** Dub; null when it is not configured. */
const Dub = v.pipe(
  v.object({ DUB_API_KEY: text, DUB_API_URL: apiRoot(DUB_URL) }),
  v.transform(({ DUB_API_KEY: apiKey, DUB_API_URL: baseUrl }) =>
    apiKey === '' ? null : { apiKey, baseUrl },
  ),
)

type Read<Schema extends v.GenericSchema> = v.InferOutput<Schema> | null

/** The providers that the service uses. Null: none is configured. */
export interface ProviderSettings {
  readonly mail: Read<typeof Mail>
  readonly email: Read<typeof Resend> | { readonly kind: 'mailbox' }
  readonly sms: Read<typeof Twilio> | { readonly kind: 'mailbox' }
  readonly queue: Read<typeof Qstash> | Read<typeof CloudflareQueue>
  /** Null: the exit survey is in the service's own database. */
  readonly clickHouse: Read<typeof ClickHouse>
  /** Null: links are in the service's own storage. */
  readonly links: Read<typeof Dub>
  /** Whether to serve the mailbox's page, which only a local start does. */
  readonly localMailbox: boolean
}

/**
 * Reads which providers are configured. A partial configuration is a problem and never a reason to use something else.
 * The mailbox is used when `LOCAL_MAILBOX` is set, which only `npm start` does.
 */
export function readProviders(bindings: Bindings, problems: Problems): ProviderSettings {
  const localMailbox = read(Mailbox, bindings, problems)?.LOCAL_MAILBOX === '1'
  const fallback = localMailbox ? ({ kind: 'mailbox' } as const) : null
  const email = read(Resend, bindings, problems) ?? fallback
  return {
    email,
    sms: read(Twilio, bindings, problems) ?? fallback,
    mail: email === null && !isAnySet(bindings, ['RESEND_API_KEY']) ? null : read(Mail, bindings, problems),
    queue: read(Qstash, bindings, problems) ?? read(CloudflareQueue, bindings, problems),
    clickHouse: read(ClickHouse, bindings, problems),
    links: read(Dub, bindings, problems),
    localMailbox,
  }
}

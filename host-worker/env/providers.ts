import * as v from 'valibot'
import { DUB_URL } from '../../adapters/links-dub/api-url.ts'
import type { EmailSender, SmsSender } from '../../ports/messaging.ts'
import { ClickHouse } from './exit-survey.ts'
import { Mail, Resend, Twilio } from './messaging.ts'
import { CloudflareQueue, Qstash } from './queues.ts'
import { apiRoot, isAnySet, read, text, type Bindings, type Problems } from './variables.ts'

/** Under this key, which no configuration can contain, a local start passes what takes the place of the providers. */
export const LOCAL_PROVIDERS = Symbol('local providers')

/** What keeps messages on a developer's machine. */
export interface LocalProviders {
  readonly email: EmailSender
  readonly sms: SmsSender
}

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
  readonly email: Read<typeof Resend> | { readonly kind: 'local'; readonly sender: EmailSender }
  readonly sms: Read<typeof Twilio> | { readonly kind: 'local'; readonly sender: SmsSender }
  readonly queue: Read<typeof Qstash> | Read<typeof CloudflareQueue>
  /** Null: the exit survey is in the service's own database. */
  readonly clickHouse: Read<typeof ClickHouse>
  /** Null: links are in the service's own storage. */
  readonly links: Read<typeof Dub>
}

/**
 * Reads which providers are configured. A partial configuration is a problem and never a reason to use something else.
 * What is not configured a local start replaces.
 */
export function readProviders(
  bindings: Bindings & Partial<LocalBindings>,
  problems: Problems,
): ProviderSettings {
  const local = bindings[LOCAL_PROVIDERS]
  const email = read(Resend, bindings, problems) ?? localSender(local?.email)
  return {
    email,
    sms: read(Twilio, bindings, problems) ?? localSender(local?.sms),
    mail: email === null && !isAnySet(bindings, ['RESEND_API_KEY']) ? null : read(Mail, bindings, problems),
    queue: read(Qstash, bindings, problems) ?? read(CloudflareQueue, bindings, problems),
    clickHouse: read(ClickHouse, bindings, problems),
    links: read(Dub, bindings, problems),
  }
}

/** The bindings that a local start adds to those of the configuration. */
export interface LocalBindings {
  readonly [LOCAL_PROVIDERS]: LocalProviders
}

function localSender<Sender>(sender: Sender | undefined) {
  return sender === undefined ? null : { kind: 'local' as const, sender }
}

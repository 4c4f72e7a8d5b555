import type { Queue as QueueBinding } from '@cloudflare/workers-types'
import { QSTASH_URL } from '../adapters/queue-qstash/index.ts'
import type { SigningKeys } from '../adapters/queue-qstash/index.ts'
import { DUB_URL } from '../adapters/links-dub/index.ts'
import { RESEND_URL } from '../adapters/email-resend/index.ts'
import type { SharedOrigin } from '../adapters/sms-twilio/index.ts'
import { TWILIO_URL } from '../adapters/sms-twilio/index.ts'
import type { MailIdentity } from '../domain/messaging/sender.ts'
import type { OutboxRef } from '../ports/outbox-store.ts'
import type { ClickHouseSettings } from './env-exit-survey.ts'
import { readClickHouse } from './env-exit-survey.ts'
import type { Reader } from './env-reader.ts'
import { createReader, isSafeUrl, readUrl } from './env-reader.ts'

export type EmailSettings =
  | { readonly kind: 'resend'; readonly apiKey: string; readonly baseUrl: string }
  | { readonly kind: 'mailbox' }

export type SmsSettings =
  | {
      readonly kind: 'twilio'
      readonly accountSid: string
      readonly authToken: string
      readonly shared: SharedOrigin
      readonly baseUrl: string
    }
  | { readonly kind: 'mailbox' }

export interface LinkSettings {
  readonly apiKey: string
  readonly baseUrl: string
}

export type QueueSettings =
  | { readonly kind: 'cloudflare'; readonly binding: QueueBinding<OutboxRef> }
  | {
      readonly kind: 'qstash'
      readonly token: string
      readonly keys: SigningKeys
      readonly callbackUrl: string
      readonly baseUrl: string
    }

/** Whom the service works with. Null: nobody is configured. */
export interface ProviderSettings {
  readonly mail: MailIdentity | null
  readonly email: EmailSettings | null
  readonly sms: SmsSettings | null
  readonly queue: QueueSettings | null
  /** Null: the exit survey is in the service's own database. */
  readonly clickHouse: ClickHouseSettings | null
  /** Null: links are stored here. */
  readonly links: LinkSettings | null
  /** Whether the mailbox's page is served: on a developer's machine only. */
  readonly localMailbox: boolean
}

/** Where QStash is to deliver. Outside `/api`, which belongs to the contract. */
export const QSTASH_PATH = '/qstash'

/**
 * Reads which providers are configured. What is configured by half is a problem, never a reason to do something else;
 * the mailbox is used where `LOCAL_MAILBOX` says so, which `npm start` alone does.
 * @param problems gets a sentence for everything that is wrong; it names variables, never their values
 */
export function readProviders(
  bindings: Readonly<Record<string, unknown>>,
  problems: string[],
): ProviderSettings {
  const reader = createReader(bindings, problems)
  const mailbox = reader.text('LOCAL_MAILBOX')
  if (!['', '0', '1'].includes(mailbox)) problems.push('LOCAL_MAILBOX must be 1 or left out')
  const localMailbox = mailbox === '1'
  const fallback = localMailbox ? ({ kind: 'mailbox' } as const) : null
  const email = readResend(reader) ?? fallback
  return {
    email,
    sms: readTwilio(reader) ?? fallback,
    mail: email === null ? null : readMailIdentity(reader),
    queue: readQstash(reader) ?? readQueueBinding(bindings.JOBS, problems),
    clickHouse: readClickHouse(reader),
    links: readDub(reader),
    localMailbox,
  }
}

const DOMAIN =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

function readMailIdentity({ text, problem }: Reader): MailIdentity | null {
  const domain = text('MAIL_DOMAIN').toLowerCase()
  const brand = text('PLATFORM_BRAND').trim()
  if (!DOMAIN.test(domain)) problem('MAIL_DOMAIN must be the domain of the sender addresses')
  if (brand === '' || /\p{Cc}/u.test(brand)) problem("PLATFORM_BRAND must be the operator's sender name")
  return { domain, brand }
}

function readResend({ text, problem }: Reader): EmailSettings | null {
  const apiKey = text('RESEND_API_KEY')
  const baseUrl = readUrl('RESEND_API_URL', RESEND_URL, { text, problem })
  return apiKey === '' ? null : { kind: 'resend', apiKey, baseUrl }
}

function readDub({ text, problem }: Reader): LinkSettings | null {
  const apiKey = text('DUB_API_KEY')
  const baseUrl = readUrl('DUB_API_URL', DUB_URL, { text, problem })
  return apiKey === '' ? null : { apiKey, baseUrl }
}

function readTwilio({ text, problem }: Reader): SmsSettings | null {
  const accountSid = text('TWILIO_ACCOUNT_SID')
  const authToken = text('TWILIO_AUTH_TOKEN')
  const messagingServiceSid = text('TWILIO_MESSAGING_SERVICE_SID')
  const shortcode = text('TWILIO_SHORTCODE')
  const baseUrl = readUrl('TWILIO_API_URL', TWILIO_URL, { text, problem })
  if (accountSid + authToken + messagingServiceSid + shortcode === '') return null
  if (accountSid === '') problem('TWILIO_ACCOUNT_SID is missing: other TWILIO variables are set')
  if (authToken === '') problem('TWILIO_AUTH_TOKEN is missing: other TWILIO variables are set')
  if ((messagingServiceSid === '') === (shortcode === '')) {
    problem('one of TWILIO_MESSAGING_SERVICE_SID and TWILIO_SHORTCODE must be set')
  }
  const shared = shortcode === '' ? { messagingServiceSid } : { shortcode }
  return { kind: 'twilio', accountSid, authToken, shared, baseUrl }
}

function readQstash({ text, problem }: Reader): QueueSettings | null {
  const names = [
    'QSTASH_TOKEN',
    'QSTASH_CURRENT_SIGNING_KEY',
    'QSTASH_NEXT_SIGNING_KEY',
    'QSTASH_CALLBACK_URL',
  ] as const
  const [token, current, next, callbackUrl] = names.map(text) as [string, string, string, string]
  const baseUrl = readUrl('QSTASH_URL', QSTASH_URL, { text, problem })
  if (text('QSTASH_DEV') !== '') problem('QSTASH_DEV must not be set: its signing keys are known to everyone')
  if (token + current + next + callbackUrl === '') return null
  for (const name of names)
    if (text(name) === '') problem(`${name} is missing: other QSTASH variables are set`)
  if (callbackUrl !== '' && !isCallback(callbackUrl)) {
    problem(`QSTASH_CALLBACK_URL must be the https URL of this service's ${QSTASH_PATH}`)
  }
  return { kind: 'qstash', token, keys: { current, next }, callbackUrl, baseUrl }
}

function isCallback(url: string): boolean {
  const parsed = URL.parse(url)
  return (
    parsed !== null &&
    isSafeUrl(parsed) &&
    parsed.href === `${parsed.origin}${QSTASH_PATH}` &&
    parsed.href === url
  )
}

function readQueueBinding(binding: unknown, problems: string[]): QueueSettings | null {
  if (binding === undefined) return null
  if (typeof binding === 'object' && binding !== null && 'sendBatch' in binding) {
    return { kind: 'cloudflare', binding: binding as QueueBinding<OutboxRef> }
  }
  problems.push('JOBS must be a queue binding')
  return null
}

import type { Queue as QueueBinding, R2Bucket } from '@cloudflare/workers-types'
import * as v from 'valibot'
import { RESEND_URL } from '../../adapters/email-resend/api-url.ts'
import { DUB_URL } from '../../adapters/links-dub/api-url.ts'
import { SECRET_LENGTH_MIN } from '../../adapters/pos-odbc/secret-length.ts'
import { QSTASH_URL } from '../../adapters/queue-qstash/index.ts'
import { TWILIO_URL } from '../../adapters/sms-twilio/api-url.ts'
import type { SharedOrigin } from '../../adapters/sms-twilio/index.ts'
import { rootSecretProblem } from '../../domain/access/secrets.ts'
import type { EmailSender, SmsSender } from '../../ports/messaging.ts'
import type { OutboxRef } from '../../ports/outbox.ts'
import {
  apiRoot,
  binding,
  database,
  group,
  isAnySet,
  isRoot,
  objects,
  read,
  required,
  text,
  whenSet,
  type Bindings,
  type Problems,
} from './variables.ts'
import { isPrivate } from '../../domain/text/http.ts'

/** The checked configuration of the deployment. */
export interface Env extends Readonly<v.InferOutput<typeof Own>>, ProviderSettings, PosSettings {
  /** Whether the service runs on a developer's machine. */
  readonly isLocal: boolean
}

export type EnvReading =
  | { readonly ok: true; readonly env: Env }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Checks bindings and variables before anything is served. Each problem names the variable, never its value. */
export function readEnv(bindings: Bindings): EnvReading {
  const problems: string[] = []
  const own = read(Own, bindings, problems)
  const providers = readProviders(bindings, problems)
  const pos = readPos(bindings, problems)
  if (own === null || problems.length > 0) return { ok: false, problems }
  return { ok: true, env: { ...own, ...providers, ...pos, isLocal: LOCAL_PROVIDERS in bindings } }
}

const rootSecret = whenSet(
  (given) => rootSecretProblem(given) === null,
  ({ input }) => String(rootSecretProblem(input)),
)

const NO_DATABASE = 'is missing: it must be a D1 database binding'

/** A public key of age. Its checksum is verified when it is used. */
const RECIPIENT = /^age1[02-9ac-hj-np-z]{6,2000}$/
const DAYS = /^[1-9]\d{0,4}$/

const Own = v.pipe(
  v.object({
    ROOT_SECRET: v.pipe(text, v.nonEmpty('is missing: it must be 32 random bytes in base64url'), rootSecret),
    ROOT_SECRET_PREVIOUS: v.pipe(text, rootSecret),
    DB: v.optional(v.nonNullable(database(NO_DATABASE), NO_DATABASE), ''),
    FAMILIES: objects('must be a Durable Object binding'),
    BACKUPS: binding<R2Bucket>(['put', 'list', 'createMultipartUpload'], 'must be an R2 bucket binding'),
    BACKUP_RECIPIENT: v.pipe(
      text,
      whenSet((given) => RECIPIENT.test(given), 'must be a public key of age (age1…)'),
    ),
    BACKUP_KEEP_DAYS: v.pipe(
      text,
      whenSet((given) => DAYS.test(given), 'must be a number of days'),
    ),
  }),
  v.transform((given) => ({
    database: given.DB,
    /**
     * The objects in which families have databases of their own; null: there are none, so all families are in
     * `database`.
     */
    families: given.FAMILIES,
    /** Null: the service stores no backups. */
    backups: backupsOf(given),
    rootSecret: given.ROOT_SECRET,
    /** The previous root secret, during a rotation; null: there is none. */
    previousRootSecret: given.ROOT_SECRET_PREVIOUS === '' ? null : given.ROOT_SECRET_PREVIOUS,
  })),
)

/** Where backups are stored, how they are encrypted, and for how many days they are kept. */
interface BackupSettings {
  readonly bucket: R2Bucket
  /** Null: they are not encrypted. */
  readonly recipient: string | null
  readonly keepDays: number
}

/** For how many days backups are kept, unless the variable says otherwise. */
const KEEP_DAYS = 30

/** The settings of backups; null: there is no bucket for them. */
export function backupsOf(given: {
  readonly BACKUPS: R2Bucket | null
  readonly BACKUP_RECIPIENT: string
  readonly BACKUP_KEEP_DAYS: string
}): BackupSettings | null {
  const { BACKUPS: bucket, BACKUP_RECIPIENT: recipient, BACKUP_KEEP_DAYS: days } = given
  if (bucket === null) return null
  return {
    bucket,
    recipient: recipient === '' ? null : recipient,
    keepDays: days === '' ? KEEP_DAYS : Number(days),
  }
}

type Read<Schema extends v.GenericSchema> = v.InferOutput<Schema> | null

/** The providers that the service uses. Null: none is configured. */
interface ProviderSettings {
  readonly mail: Read<typeof Mail>
  readonly email: Read<typeof Resend> | { readonly kind: 'local'; readonly sender: EmailSender }
  readonly sms: Read<typeof Twilio> | { readonly kind: 'local'; readonly sender: SmsSender }
  readonly queue: Read<typeof Qstash> | Read<typeof CloudflareQueue>
  /** Null: the exit survey is in the service's own database. */
  readonly clickHouse: Read<typeof ClickHouse>
  /** Null: links are in the service's own storage. */
  readonly links: Read<typeof Dub>
}

/** Under this key, which no configuration can contain, a local start passes what takes the place of the providers. */
export const LOCAL_PROVIDERS = Symbol('local providers')

/** The bindings that a local start adds to those of the configuration: what keeps messages on a developer's machine. */
export interface LocalBindings {
  readonly [LOCAL_PROVIDERS]: { readonly email: EmailSender; readonly sms: SmsSender }
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

function localSender<Sender>(sender: Sender | undefined) {
  return sender === undefined ? null : { kind: 'local' as const, sender }
}

const DOMAIN =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

/** The service's own sender domain and name. */
const Mail = v.pipe(
  v.object({
    MAIL_DOMAIN: v.pipe(text, v.toLowerCase(), v.regex(DOMAIN, 'must be the domain of the sender addresses')),
    PLATFORM_BRAND: v.pipe(text, v.trim(), v.regex(/^\P{Cc}+$/u, "must be the operator's sender name")),
  }),
  v.transform(({ MAIL_DOMAIN: domain, PLATFORM_BRAND: brand }) => ({ domain, brand })),
)

/** The path to which Resend tells events. It is outside `/api`, which belongs to the contract. */
export const RESEND_EVENTS_PATH = '/providers/resend/events'

/** A secret as Standard Webhooks have them: at least 15 bytes in base64. */
const SIGNING_SECRET = /^whsec_(?=(?:.{4})+$)[A-Za-z\d+/]{20,128}={0,2}$/

const resend = {
  RESEND_API_KEY: required('RESEND'),
  RESEND_WEBHOOK_SECRET: v.pipe(
    text,
    whenSet(
      (given) => SIGNING_SECRET.test(given),
      'must begin with whsec_, as Resend shows it for a webhook',
    ),
  ),
}
const resendAlways = { RESEND_API_URL: apiRoot(RESEND_URL) }

const Resend = group(
  Object.keys(resend),
  resendAlways,
  v.pipe(
    v.object({ ...resendAlways, ...resend }),
    v.transform((given) => ({
      kind: 'resend' as const,
      apiKey: given.RESEND_API_KEY,
      baseUrl: given.RESEND_API_URL,
      /** Empty: the service is not told of events. */
      webhookSecret: given.RESEND_WEBHOOK_SECRET,
    })),
  ),
)

const twilio = {
  TWILIO_ACCOUNT_SID: required('TWILIO'),
  TWILIO_AUTH_TOKEN: required('TWILIO'),
  TWILIO_MESSAGING_SERVICE_SID: text,
  TWILIO_SHORTCODE: text,
}
const twilioAlways = { TWILIO_API_URL: apiRoot(TWILIO_URL) }

const Twilio = group(
  Object.keys(twilio),
  twilioAlways,
  v.pipe(
    v.object({ ...twilioAlways, ...twilio }),
    v.partialCheck(
      [['TWILIO_MESSAGING_SERVICE_SID'], ['TWILIO_SHORTCODE']],
      ({ TWILIO_MESSAGING_SERVICE_SID: service, TWILIO_SHORTCODE: code }) =>
        (service === '') !== (code === ''),
      'one of TWILIO_MESSAGING_SERVICE_SID and TWILIO_SHORTCODE must be set',
    ),
    v.transform(
      ({ TWILIO_MESSAGING_SERVICE_SID: messagingServiceSid, TWILIO_SHORTCODE: code, ...given }) => ({
        kind: 'twilio' as const,
        accountSid: given.TWILIO_ACCOUNT_SID,
        authToken: given.TWILIO_AUTH_TOKEN,
        shared: (code === '' ? { messagingServiceSid } : { shortcode: code }) satisfies SharedOrigin,
        baseUrl: given.TWILIO_API_URL,
      }),
    ),
  ),
)

/** The path to which QStash delivers. It is outside `/api`, which belongs to the contract. */
export const QSTASH_PATH = '/qstash'

function isCallback(given: string): boolean {
  const url = URL.parse(given)
  return isPrivate(url) && url.href === given && given === `${url.origin}${QSTASH_PATH}`
}

const qstash = {
  QSTASH_TOKEN: required('QSTASH'),
  QSTASH_CURRENT_SIGNING_KEY: required('QSTASH'),
  QSTASH_NEXT_SIGNING_KEY: required('QSTASH'),
  QSTASH_CALLBACK_URL: v.pipe(
    required('QSTASH'),
    whenSet(isCallback, `must be the https URL of this service's ${QSTASH_PATH}`),
  ),
}
const qstashAlways = {
  QSTASH_URL: apiRoot(QSTASH_URL),
  QSTASH_DEV: v.pipe(text, v.empty('must not be set: its signing keys are known to everyone')),
}

const Qstash = group(
  Object.keys(qstash),
  qstashAlways,
  v.pipe(
    v.object({ ...qstashAlways, ...qstash }),
    v.transform((given) => ({
      kind: 'qstash' as const,
      token: given.QSTASH_TOKEN,
      keys: { current: given.QSTASH_CURRENT_SIGNING_KEY, next: given.QSTASH_NEXT_SIGNING_KEY },
      callbackUrl: given.QSTASH_CALLBACK_URL,
      baseUrl: given.QSTASH_URL,
    })),
  ),
)

const CloudflareQueue = v.pipe(
  v.object({ JOBS: binding<QueueBinding<OutboxRef>>(['sendBatch'], 'must be a queue binding') }),
  v.transform(({ JOBS }) => (JOBS === null ? null : { kind: 'cloudflare' as const, binding: JOBS })),
)

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

function nameOr(usual: string) {
  return v.pipe(
    text,
    whenSet((given) => NAME.test(given), 'must be a plain name'),
    v.transform((given) => (given === '' ? usual : given)),
  )
}

const clickHouse = {
  CLICKHOUSE_URL: v.pipe(
    required('CLICKHOUSE'),
    // The account is sent in headers, and the request has its own path and query.
    whenSet(isRoot, 'must be an https URL without path, query or account'),
  ),
  CLICKHOUSE_USER: required('CLICKHOUSE'),
  CLICKHOUSE_PASSWORD: required('CLICKHOUSE'),
  CLICKHOUSE_DATABASE: nameOr('default'),
  CLICKHOUSE_TABLE: nameOr('exit_survey_events'),
}

const ClickHouse = group(
  Object.keys(clickHouse),
  {},
  v.pipe(
    v.object(clickHouse),
    v.transform((given) => ({
      baseUrl: given.CLICKHOUSE_URL.replace(/\/$/, ''),
      user: given.CLICKHOUSE_USER,
      password: given.CLICKHOUSE_PASSWORD,
      database: given.CLICKHOUSE_DATABASE,
      table: given.CLICKHOUSE_TABLE,
    })),
  ),
)

const Dub = v.pipe(
  v.object({ DUB_API_KEY: text, DUB_API_URL: apiRoot(DUB_URL) }),
  v.transform(({ DUB_API_KEY: apiKey, DUB_API_URL: baseUrl }) =>
    apiKey === '' ? null : { apiKey, baseUrl },
  ),
)

/** How to reach point-of-sale sources. Null: organizations with such a source get 502. */
export interface PosSettings {
  /** The address of the ODBC gateway without a path, the secret that signs requests, and how these are sent. */
  readonly posGateway: Read<typeof Gateway>
  readonly posLegacy: v.InferOutput<typeof Legacy>['POS_LEGACY']
}

/** Reads the settings of the point-of-sale sources. A partial configuration is a problem. */
export function readPos(bindings: Bindings, problems: Problems): PosSettings {
  return {
    posGateway: read(Gateway, bindings, problems),
    posLegacy: read(Legacy, bindings, problems)?.POS_LEGACY ?? null,
  }
}

const Legacy = v.object({ POS_LEGACY: database('must be a D1 database binding') })

/** A Workers VPC service. It sends requests to one port of a private network, whatever their host is. */
interface GatewayService {
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** A VPC service ignores the host, but a request needs one. */
const SERVICE_URL = 'http://pos-gateway'

const gateway = {
  POS_GATEWAY_SERVICE: binding<GatewayService>(['fetch'], 'must be a Workers VPC service binding'),
  // The path that is signed must be the path that the gateway receives.
  POS_GATEWAY_URL: v.pipe(text, whenSet(isRoot, 'must be an https URL without a path')),
  POS_GATEWAY_SECRET: v.pipe(
    text,
    v.nonEmpty('is missing: the gateway is configured without it'),
    whenSet(
      ({ length }) => length >= SECRET_LENGTH_MIN,
      `must have at least ${SECRET_LENGTH_MIN} characters`,
    ),
  ),
}

const Gateway = group(
  Object.keys(gateway),
  {},
  v.pipe(
    v.object(gateway),
    v.check(
      ({ POS_GATEWAY_URL, POS_GATEWAY_SERVICE }) => POS_GATEWAY_URL !== '' || POS_GATEWAY_SERVICE !== null,
      'POS_GATEWAY_URL is missing: POS_GATEWAY_SECRET is set',
    ),
    v.transform(({ POS_GATEWAY_URL, POS_GATEWAY_SECRET: secret, POS_GATEWAY_SERVICE: service }) => {
      return { url: POS_GATEWAY_URL === '' ? SERVICE_URL : POS_GATEWAY_URL, secret, service }
    }),
  ),
)

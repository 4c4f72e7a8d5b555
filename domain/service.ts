import type { Administration } from '../ports/administration.ts'
import type { Analytics } from '../ports/analytics.ts'
import type { Background } from '../ports/background.ts'
import type { Clock } from '../ports/clock.ts'
import type { Deadline } from '../ports/deadline.ts'
import type { EmailSender } from '../ports/email-sender.ts'
import type { ExitSurveySource } from '../ports/exit-survey-source.ts'
import type { FormDirectory } from '../ports/form-directory.ts'
import type { KeyedStorage } from '../ports/keyed-storage.ts'
import type { LinkSource } from '../ports/link-source.ts'
import type { Log } from '../ports/log.ts'
import type { Organization } from '../ports/organization.ts'
import type { Queue } from '../ports/queue.ts'
import type { RandomSource } from '../ports/random-source.ts'
import type { RecordSource } from '../ports/record-source.ts'
import type { SendLog } from '../ports/send-log.ts'
import type { SmsSender } from '../ports/sms-sender.ts'
import type { FormCache } from './forms/cache.ts'
import type { MailIdentity } from './messaging/sender.ts'
import type { Secrets } from './tenancy/secrets.ts'

/** Opens an organization's rows at an outside source, without I/O; null: it has none there. */
export type OpenSource<Source extends RecordSource = RecordSource | LinkSource> = (
  organization: Organization,
) => Source | null

/** Where rows can be kept besides this service's own storage. */
export interface Sources {
  /** Null: links are stored here. */
  readonly links: OpenSource<LinkSource> | null
  readonly pos: OpenSource
}

/** Everything that answering a request needs of the world. The host assembles one per request. */
export interface World {
  readonly storage: KeyedStorage
  readonly keys: Pick<Administration, 'rehashKey'>
  readonly forms: FormDirectory
  readonly sources: Sources
  /** Compiled form definitions, kept across requests. */
  readonly formCache: FormCache
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  readonly secrets: Secrets
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
  readonly background: Background
  /** Null: there is none, and work that follows a request waits for the sweep. */
  readonly queue: Queue | null
  /** Null: no provider is configured, and nothing is sent. */
  readonly email: EmailSender | null
  readonly sms: SmsSender | null
  /** The service's own part of sender addresses; null together with `email`. */
  readonly mail: MailIdentity | null
  /** What was sent to whom. */
  readonly sends: SendLog
}

/** One request, routed: the endpoint is known, nothing else is checked yet. */
export interface RoutedRequest {
  readonly request: Request
  readonly url: URL
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  /** Tells the host whose request it turned out to be, for its log. Never called with what is only claimed. */
  readonly identified: (organizationId: string) => void
}

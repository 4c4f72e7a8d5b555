import { createRateLimiter, type RateLimiter } from '../../domain/access/rate-limiter.ts'
import type { Secrets } from '../../domain/access/secrets.ts'
import { createFormCache, type FormCache } from '../../domain/forms/submit.ts'
import type { PosDestination, ImportWorld } from '../../domain/imports/check.ts'
import type { JobWorld } from '../../domain/jobs/work.ts'
import type { MailIdentity } from '../../domain/messaging/sender.ts'
import type { OperatorWorld } from '../../domain/operators/world.ts'
import { onePlace, type OperatorPlaces } from '../../domain/placement/operators/overview.ts'
import { eventResources } from '../../domain/resources/index.ts'
import type { Sources } from '../../domain/read/serve.ts'
import type { World } from '../../domain/tenant-api.ts'
import type { EmailSender, SmsSender } from '../../ports/messaging.ts'
import type { Queue } from '../../ports/outbox.ts'
import type { Organization } from '../../ports/organizations.ts'
import type { Background, Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type { ExitSurveySource } from '../../ports/sources.ts'
import type { Storage } from '../../ports/storage.ts'
import {
  backgroundOn,
  consoleLog,
  systemClock,
  systemDeadline,
  systemFetch,
  systemRandom,
} from '../system.ts'
import { hashFormPassword, verifyFormPassword } from '../../domain/forms/password.ts'
import type { ImportTools } from '../../domain/imports/kinds.ts'

/**
 * What a service is made of. Only the storage and the secrets are required; every other part replaces a default, which
 * uses Web APIs alone.
 */
export interface WorldParts {
  /** All stored data: `createNodeSqliteStorage`, `createD1Storage`, or an adapter that passes `./conformance`. */
  readonly storage: Omit<Storage, 'importDirectory' | 'retentionDirectory'>
  /** Prove keys, form passwords and cursors: `await openSecrets(root, previousRoot)`, where a root is 32 bytes in base64url. */
  readonly secrets: Secrets

  /** Delivers email. Default: null, and nothing is sent: entries of the outbox wait, and `/api/v1/email` refuses. */
  readonly email?: EmailSender | null | undefined
  /** The domain of sender addresses, and the name of the service in them. Required together with `email`. */
  readonly mail?: MailIdentity | null | undefined
  /** Delivers text messages. Default: null, as for `email`. */
  readonly sms?: SmsSender | null | undefined
  /** Makes follow-up work begin at once. Default: null, and it begins with the next sweep. */
  readonly queue?: Queue | null | undefined

  /** Where points of sale are read, and links if they are not in the storage. Default: no points of sale, own links. */
  readonly sources?: Partial<Sources> | undefined
  /** Where rows of an organization's point of sale are imported to. Default: such an import is refused. */
  readonly posDestination?: ((organization: Organization) => PosDestination) | undefined
  /** Counts the reasons of cancellations. Default: those in the storage. */
  readonly exitSurvey?: ExitSurveySource | undefined

  /** Calls webhooks. It must not follow redirects by itself when it is told not to. Default: the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Whether webhooks may be on this machine, over plain HTTP: for a developer's machine. Default: false. */
  readonly isLocal?: boolean | undefined
  /** Begins work on entries of the outbox at once, after the response. Default: it is done by the next sweep. */
  readonly wake?: OperatorWorld['wake'] | undefined

  /** Where organizations are, and how they move. Default: all in the one storage, where nothing moves. */
  readonly places?: { readonly [Name in keyof OperatorPlaces]?: OperatorPlaces[Name] | undefined } | undefined
  /** Keeps backups. Default: null, and operators cannot make any. */
  readonly backups?: OperatorWorld['backups'] | undefined

  /** The time. Default: the platform's. */
  readonly clock?: Clock | undefined
  /** Ends work that takes too long. Default: the platform's timers. */
  readonly deadline?: Deadline | undefined
  /** Makes ids and keys, so it must be unpredictable. Default: the platform's cryptographic generator. */
  readonly random?: RandomSource | undefined
  /** Takes what happened, without personal data. Default: one line of JSON on the console for each event. */
  readonly log?: Log | undefined
  /**
   * Runs work that continues after its response. Default: it runs, and failures are logged. On a platform that stops
   * after a response, give it `backgroundOn(log, (work) => context.waitUntil(work))`.
   */
  readonly background?: Background | undefined
  /** Forms that were read before. Make it once for the process, not for each request. Default: a new one. */
  readonly formCache?: FormCache | undefined
  /** Counts requests of keys that have a rate. Make it once for the process. Default: a new one. */
  readonly rateLimiter?: RateLimiter | undefined
}

/** All ports of the public interface, of the operator interface, and of work after requests. */
export type ServiceWorld = World & OperatorWorld & JobWorld

/** Assembles the ports of a service from its parts. No I/O. */
export function createWorld({
  storage,
  secrets,
  email = null,
  mail = null,
  sms = null,
  queue = null,
  sources = {},
  posDestination = noPosDestination,
  exitSurvey = storage.exitSurvey,
  fetch = systemFetch,
  isLocal = false,
  wake = () => undefined,
  places = {},
  backups = async () => null,
  clock = systemClock,
  deadline = systemDeadline,
  random = systemRandom,
  log = consoleLog,
  background = backgroundOn(log),
  formCache = createFormCache(),
  rateLimiter = createRateLimiter(clock),
}: WorldParts): ServiceWorld {
  const one = onePlace(storage)
  const tools = importTools(async () => secrets, clock, random)
  return {
    storage: storage.keyed,
    keys: storage.keyUpkeep,
    forms: storage.forms,
    sends: storage.sends,
    outbox: storage.outbox,
    analytics: storage.analytics,
    administration: storage.administration,
    operatorKeys: storage.operatorKeys,
    audit: storage.audit,
    people: storage.people,
    changes: storage.operatorChanges,
    tenant: storage.tenant,
    organizationStore: storage.organizationStore,
    erasures: storage.erasures,
    webhooks: storage.webhooks,
    hooks: {
      people: storage.people,
      webhooks: storage.webhooks,
      tenant: storage.tenant,
      resourceOf: (event) => eventResources.get(event),
      secrets: async () => secrets,
      fetch,
      isLocal,
    },
    imports: (organization) =>
      openImportWorld(storage, organization, tools, () => posDestination(organization), random),
    sources: { links: null, pos: () => null, ...sources },
    overview: places.overview ?? one.overview,
    moves: places.moves ?? one.moves,
    restorePlaces: places.restorePlaces ?? one.restorePlaces,
    deletionPlaces: places.deletionPlaces ?? one.deletionPlaces,
    ...{ secrets, email, mail, sms, queue, exitSurvey, backups, isLocal, wake },
    ...{ clock, deadline, random, log, background, formCache, rateLimiter },
  }
}

function noPosDestination({ organizationId }: Organization): PosDestination {
  return { refusal: `The rows of a point of sale of ${organizationId} cannot be imported here.` }
}

/** The ports for the imports of one organization. No I/O. */
export function openImportWorld(
  storage: Pick<Storage, 'imports' | 'tenant'>,
  organization: Organization,
  tools: ImportTools,
  pos: ImportWorld['pos'],
  random: RandomSource = systemRandom,
): ImportWorld {
  const { organizationId } = organization
  return {
    organization,
    sessions: storage.imports(organizationId),
    lookup: storage.tenant(organizationId),
    tools,
    clock: tools.clock,
    random,
    pos,
  }
}

/** What import kinds need where no secret is at hand: to read the columns of a file, and for points of sale. */
export function toolsWithoutSecrets(): ImportTools {
  return importTools(async () => {
    throw new Error('There is no root secret here')
  })
}

/**
 * What import kinds need besides the lines: the root secret, which is only opened when a password or an id needs it.
 */
export function importTools(
  secrets: () => Promise<Secrets>,
  clock: Clock = systemClock,
  random: RandomSource = systemRandom,
): ImportTools {
  return {
    passwords: {
      hash: async (password) => hashFormPassword(password, await secrets(), random),
      verify: async (password, stored) => (await verifyFormPassword(password, stored, await secrets())).ok,
    },
    clock,
    secrets,
  }
}

/** Opens the imports of organizations by their ids; null for one that no longer exists. */
export function importsOf({
  administration,
  imports,
}: Pick<OperatorWorld, 'administration' | 'imports'>): (
  organizationId: string,
) => Promise<ImportWorld | null> {
  return async (organizationId) => {
    const organization = await administration.findOrganization(organizationId)
    return organization === null ? null : imports(organization)
  }
}

import { createScratchPos, type ScratchPos } from '../scratch/scratch-pos.ts'
import { createMeter } from '../../../adapters/d1/index.ts'
import { publicApi } from '../../../domain/api.ts'
import { formPageApi } from '../../../domain/forms/page-api.ts'
import { FORM_PAGE_PREFIX } from '../../../domain/forms/page-path.ts'
import { issueKey, type NewKey, issueOperatorKey, readOperatorKey } from '../../../domain/access/keys.ts'
import { operatorApi } from '../../../domain/operator-api.ts'
import {
  isConsoleCall,
  isSignedInRead,
  createFetchHandler,
  type Answered,
} from '../../../host-worker/http/fetch-handler.ts'
import { serveSignedInRead } from '../../../host-worker/http/signed-in-reads.ts'
import { createWorld, type WorldParts } from '../../../host-worker/http/world.ts'
import { lineLog } from '../../../host-worker/system.ts'
import { requestFields } from '../../../host-worker/wiring/opening.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import type { AuditEntry } from '../../../ports/operators.ts'
import type { OperatorRole, StoredKey, Organization } from '../../../ports/organizations.ts'
import type { Storage } from '../../../ports/storage.ts'
import type { DeletionPlaces, RestorePlaces, Overview } from '../../../domain/placement/operators/overview.ts'
import type { BackupWorld } from '../../../domain/organizations/backups.ts'
import type { Background } from '../../../ports/platform.ts'
import type { Moves } from '../../../domain/placement/operators/moves.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { checkResponse } from '../contract/contract-check.ts'
import { fakeClock, fakeRandom, testSecrets, type FakeClock } from '../runner/fakes.ts'
import { newOrganization } from '../../../domain/organizations/settings.ts'

/** The storage of a test service: that of any adapter with the storage ports. */
export interface TestStorage extends Omit<Storage, 'keyUpkeep' | 'importDirectory' | 'retentionDirectory'> {
  /** Left out: there is only one place. */
  readonly overview?: Overview
  readonly restorePlaces?: RestorePlaces
  readonly deletionPlaces?: DeletionPlaces
  /** Left out: moves are not possible. */
  readonly moves?: (background: Background) => Moves
  /** The place of organizations without a parent. Left out: the shared database. */
  readonly choice?: PlaceChoice
  /** Left out: there are no backups. */
  readonly backups?: BackupWorld
}

/** A request, with the key that it carries. With `json` it is a POST of that value, unless it has another method. */
export type TestRequest = RequestInit & { readonly key?: string; readonly json?: unknown }

/** An answer in JSON, whose fields each test knows. The body is null if there is none. */
export interface Answer<Body = Readonly<Record<string, unknown>>> {
  readonly status: number
  readonly etag: string | null
  readonly body: Body
}

/** The body of a list's answer. */
export interface Page<Item = Readonly<Record<string, unknown>>> {
  readonly organizationId: string
  readonly filters: Readonly<Record<string, unknown>>
  readonly data: readonly Item[]
  readonly pagination: {
    readonly limit: number
    readonly hasMore: boolean
    readonly nextCursor: string | null
  }
}

export async function answerOf<Body = Answer['body']>(response: Response): Promise<Answer<Body>> {
  const text = await response.text()
  const body = JSON.parse(text === '' ? 'null' : text) as Body
  return { status: response.status, etag: response.headers.get('etag'), body }
}

export interface TestService {
  readonly clock: FakeClock
  readonly storage: TestStorage
  /** The point-of-sale systems of organizations with a `posSource`, unless other sources were given. */
  readonly pos: ScratchPos
  /** The logged errors; empty at the end of a successful test. */
  readonly errors: readonly unknown[]
  /** Every logged line, in the format of a host. */
  readonly logLines: readonly string[]
  /** Creates an organization and returns a key for it. */
  addOrganization(organizationId: string, settings?: Partial<Organization>): Promise<string>
  addPlatformKey(): Promise<string>
  /**
   * Issues another key. Its last use is in the hour of its issue, unless the attributes say otherwise, so that tests
   * which count the cost of a request do not include recording a first use.
   */
  addKey(attributes: NewKey & Partial<Pick<StoredKey, 'lastUsedAt'>>): Promise<string>
  /**
   * Issues an operator key. The operator's name is the role.
   * @param expiresAt null: it works until it is revoked
   */
  addOperatorKey(role: OperatorRole, expiresAt?: string | null): Promise<string>
  revokeOperatorKey(key: string): Promise<void>
  /** Waits for the background work of requests. */
  settled(): Promise<void>
  /**
   * Sends a request to the service, in this process. Throws when the contract document does not describe the answer.
   */
  send(path: string, init?: TestRequest): Promise<Response>
  /** Like `send`, without checking the answer, which would take longer than a large answer itself. */
  sendUnchecked: TestService['send']
}

/** The handlers keep no state between requests, so all services share them. */
const handle = createFetchHandler(publicApi)
const handleFormPages = createFetchHandler(formPageApi)
const handleOperator = createFetchHandler(operatorApi)

/** The whole service on the given storage, with a clock that stands still and repeatable randomness. */
export async function openTestService(
  open: (clock: FakeClock) => TestStorage,
  givenSecrets?: Secrets,
  providers: Partial<
    Pick<WorldParts, 'email' | 'sms' | 'mail' | 'queue' | 'clock' | 'deadline' | 'random' | 'sources'>
  > = {},
): Promise<TestService> {
  const clock = fakeClock()
  const storage = open(clock)
  const secrets = givenSecrets ?? (await testSecrets())
  const random = fakeRandom()
  const pos = createScratchPos()
  const errors: unknown[] = []
  const logLines: string[] = []
  const log = lineLog((_level, line) => logLines.push(line))
  const work: Promise<unknown>[] = []
  const background: Background = {
    run: (begun) => void work.push(begun.catch((cause: unknown) => errors.push(cause))),
  }
  const { overview, restorePlaces, deletionPlaces } = storage
  const world = createWorld({
    storage: { ...storage, keyUpkeep: storage.administration },
    secrets,
    clock,
    random,
    log: {
      ...log,
      error: (event, fields, cause) => {
        errors.push(cause ?? event)
        log.error(event, fields, cause)
      },
    },
    sources: { pos: ({ posSource }) => (posSource === null ? null : pos.open(posSource)) },
    posDestination: ({ posSource }) =>
      posSource === null ? { refusal: 'It has no point of sale.' } : { writer: pos.writer(posSource) },
    places: { overview, restorePlaces, deletionPlaces, moves: storage.moves?.(background) },
    backups: async () => storage.backups ?? null,
    background,
    ...providers,
  })
  const addKey: TestService['addKey'] = async ({ lastUsedAt, ...attributes }) => {
    const { key, stored } = await issueKey(attributes, secrets, random, clock)
    const hour = `${stored.createdAt.slice(0, 'YYYY-MM-DDTHH'.length)}:00:00.000Z`
    await storage.administration.addKey({
      ...stored,
      lastUsedAt: lastUsedAt === undefined ? hour : lastUsedAt,
    })
    return key
  }
  let requests = 0
  const sendUnchecked: TestService['send'] = (path, init) => answer(requestOf(path, init))
  const answer = (request: Request): Promise<Response> => {
    requests += 1
    const host = {
      requestId: `req_${String(requests)}`,
      answered: (facts: Answered) => {
        log.info('request', requestFields(facts, 0, createMeter()))
      },
    }
    const { pathname } = new URL(request.url)
    if (isSignedInRead(pathname))
      return serveSignedInRead(request, { ...host, url: new URL(request.url), world }, (asked, of) =>
        handle(asked, of),
      )
    return pathname.startsWith('/operator/') || isConsoleCall(request, pathname)
      ? handleOperator(request, { ...host, world })
      : pathname.startsWith(FORM_PAGE_PREFIX)
        ? handleFormPages(request, { ...host, world })
        : handle(request, { ...host, world })
  }
  return {
    clock,
    storage,
    pos,
    errors,
    logLines,
    addOrganization: async (organizationId, settings = {}) => {
      await storage.administration.saveOrganization(
        {
          ...newOrganization(organizationId, 'Test'),
          ...settings,
        },
        undefined,
        settings.parentId == null ? storage.choice : undefined,
      )
      return addKey({ organizationId })
    },
    addPlatformKey: () => addKey({ organizationId: null }),
    addKey,
    addOperatorKey: async (role, expiresAt = null) => {
      const { key, stored } = await issueOperatorKey(
        { operator: role, role, expiresAt, issuedBy: null },
        secrets,
        random,
        clock,
      )
      await storage.operatorChanges(auditEntry(stored.keyId)).addOperatorKey({ key: stored, proof: null })
      return key
    },
    revokeOperatorKey: async (key) => {
      const keyId = readOperatorKey(key)?.keyId ?? ''
      const revocation = { keyId, revokedAt: PREPARED_AT, withDescendants: false }
      await storage.operatorChanges(auditEntry(`revoke-${keyId}`)).revokeOperatorKey(revocation)
    },
    settled: async () => {
      await Promise.all(work)
    },
    sendUnchecked,
    send: async (path, init) => {
      const request = requestOf(path, init)
      const response = await answer(request)
      if (response.body === null) {
        checkResponse(request, response, '')
        return response
      }
      // The body is read once and the response made again from it: reading both branches of a clone would cost as much
      // as the request itself.
      const body = await response.bytes()
      checkResponse(request, response, new TextDecoder().decode(body))
      return new Response(body, response)
    },
  }
}

const PREPARED_AT = '2026-06-15T11:00:00.000Z'

/** The audit entry for a test's own set-up. */
function auditEntry(auditId: string): AuditEntry {
  return {
    auditId,
    at: PREPARED_AT,
    operatorKeyId: null,
    operator: 'test',
    action: 'test.prepare',
    organizationId: null,
    subject: null,
  }
}

function requestOf(path: string, { key, json, ...init }: TestRequest = {}): Request {
  const headers = new Headers(init.headers)
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const posted = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }
  return new Request(new URL(path, 'https://service.example'), { ...posted, ...init, headers })
}

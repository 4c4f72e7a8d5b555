import type {
  Administration,
  Analytics,
  Audit,
  People,
  Clock,
  ErasureLedger,
  ExitSurveySource,
  FormDirectory,
  ImportDirectory,
  ImportSessions,
  KeyedStorage,
  OpenOperatorChanges,
  OperatorKeys,
  Organization,
  OutboxStore,
  RetentionDirectory,
  SendLog,
  StoredKey,
  TenantWebhooks,
  TenantWriter,
  OrganizationStore,
  KeyClaim,
  NewSubmission,
  PageQuery,
  ReadQuery,
  SendRecord,
  StoredRow,
  WorkingKey,
} from '../../ports/index.ts'
import assert from 'node:assert/strict'
import type { Case } from './cases.ts'
import { storedRowsOf } from '../../domain/read/page.ts'
import { emailKey } from '../../domain/text/typed-text.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'

/** An outbox entry as `outboxOf` shows it. */
export interface SeenOutboxEntry {
  readonly outboxId: string
  readonly submissionId: string
  readonly kind: string
  readonly payload: unknown
  readonly status: string
}

/** A store under test: its ports, and what the ports do not show. */
export interface StorageInstance {
  readonly keyed: KeyedStorage
  readonly administration: Administration
  readonly operatorKeys: OperatorKeys
  readonly operatorChanges: OpenOperatorChanges
  readonly audit: Audit
  readonly people: People
  readonly forms: FormDirectory
  readonly outbox: OutboxStore
  readonly sends: SendLog
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  tenant(organizationId: string): TenantWriter
  readonly webhooks: (organizationId: string) => TenantWebhooks
  readonly imports: (organizationId: string) => ImportSessions
  readonly importDirectory: ImportDirectory
  readonly organizationStore: (organizationId: string) => OrganizationStore
  readonly retentionDirectory: RetentionDirectory
  readonly erasures: ErasureLedger
  /** Reads the outbox of an organization directly, without the ports. */
  outboxOf(organizationId: string): Promise<readonly SeenOutboxEntry[]>
}

/** An organization and a key of it. */
export interface SavedTenant {
  readonly organization: Organization
  readonly key: StoredKey
}

/** Makes stores to test. */
export interface MakeStorage {
  /** Makes a fresh, empty store that tells the time by `clock`. */
  (clock: Clock): Promise<StorageInstance>
  /**
   * Makes a store that holds these tenants and nothing else, as if they had been saved through its ports. Most cases
   * begin with one. When this is left out, they save the tenants themselves, as the cases of organizations and keys
   * always do.
   */
  readonly holding?: (clock: Clock, tenants: readonly SavedTenant[]) => Promise<StorageInstance>
}

/** One promise of the storage ports, with the check that an adapter keeps it. Rejects when it does not. */
export type StorageCase = Case<MakeStorage>

/** The time at which every case begins. */
export const START_MS = Date.parse('2026-03-01T10:00:00.000Z')

/** A clock that stands still until it is set. */
export interface TestClock {
  ms: number
  readonly nowMs: () => number
}

export function organization(organizationId: string, changes: Partial<Organization> = {}): Organization {
  return { ...newOrganization(organizationId, `Organization ${organizationId}`), ...changes }
}

export function tenantKey(
  organizationId: string,
  keyId: string,
  changes: Partial<StoredKey> = {},
): StoredKey {
  return {
    keyId,
    kind: 'tenant',
    organizationId,
    hash: `hash of ${keyId}`,
    secretVersion: 'v1',
    createdAt: toInstant(START_MS),
    revokedAt: null,
    label: null,
    scope: 'all',
    expiresAt: null,
    ratePerMinute: null,
    lastUsedAt: null,
    successorId: null,
    issuedBy: null,
    ...changes,
  }
}

/** The parts of a key that a read returns. */
export function workingKey(key: StoredKey): WorkingKey {
  const { keyId, organizationId, secretVersion, scope, ratePerMinute, lastUsedAt } = key
  return { keyId, organizationId, secretVersion, scope, ratePerMinute, lastUsedAt }
}

export function contact(contactId: string, changes: StoredRow = {}): StoredRow {
  const { email } = changes
  return {
    contactId,
    firstName: null,
    lastName: null,
    email: null,
    phone: null,
    licensePlate: null,
    tags: [],
    emailConsent: 'unknown',
    smsConsent: 'unknown',
    source: null,
    siteId: null,
    createdAt: toInstant(START_MS),
    emailKey: typeof email === 'string' ? emailKey(email) : null,
    ...changes,
  }
}

export function site(siteId: string, changes: StoredRow = {}): StoredRow {
  return {
    siteId,
    name: `Site ${siteId}`,
    commonName: null,
    siteCode: null,
    status: 'active',
    phone: null,
    email: null,
    timezone: 'UTC',
    address: { line1: null },
    latitude: null,
    longitude: null,
    googlePlaceId: null,
    createdAt: toInstant(START_MS),
    ...changes,
  }
}

export function form(formId: string, changes: StoredRow = {}): StoredRow {
  return {
    formId,
    name: `Form ${formId}`,
    isPublished: true,
    publishedAt: null,
    createdAt: toInstant(START_MS),
    definition: { formId, fields: [] },
    passwordHash: null,
    ...changes,
  }
}

/** A stored submission row, as an import brings it. */
export function submissionRow(submissionId: string, changes: StoredRow = {}): StoredRow {
  return {
    submissionId,
    formId: 'form-1',
    contactId: null,
    attribution: {},
    source: 'hosted',
    submittedAt: toInstant(START_MS),
    answers: {},
    ...changes,
  }
}

export function purchase(purchaseId: string, changes: StoredRow = {}): StoredRow {
  return {
    purchaseId,
    processorId: `ch ${purchaseId}`,
    status: 'paid',
    contactId: null,
    siteId: null,
    checkoutLinkId: null,
    currency: 'USD',
    subtotalCents: 1500,
    discountCents: 0,
    taxCents: 0,
    totalCents: 1500,
    refundedCents: 0,
    items: [],
    fulfillmentCodes: [],
    purchasedAt: toInstant(START_MS),
    refundedAt: null,
    ...changes,
  }
}

export function link(linkId: string, changes: StoredRow = {}): StoredRow {
  return {
    linkId,
    domain: 'go.example',
    key: linkId,
    shortUrl: `https://go.example/${linkId}`,
    url: 'https://example.com/',
    title: null,
    tags: [],
    archived: false,
    expiresAt: null,
    createdAt: toInstant(START_MS),
    ...changes,
  }
}

/** A click on a link, or what `changes` says; `second` counts from the start. */
export function linkEvent(
  eventId: string,
  linkId: string,
  second: number,
  changes: StoredRow = {},
): StoredRow {
  const { event = 'click', amountCents = null } = changes
  const occurredAt = at(second)
  return {
    eventId,
    linkId,
    occurredAt,
    event,
    amountCents,
    country: null,
    city: null,
    device: null,
    browser: null,
    os: null,
    referrer: null,
    day: occurredAt.slice(0, 10),
    clicks: Number(event === 'click'),
    leads: Number(event === 'lead'),
    sales: Number(event === 'sale'),
    saleAmountCents: event === 'sale' ? (amountCents ?? 0) : 0,
    ...changes,
  }
}

type ContactChanges = Partial<NonNullable<NewSubmission['contact']>>

/** A submission of `form-1` in its first version by a new person. */
export function submission(
  submissionId: string,
  changes: Partial<NewSubmission> = {},
  contactChanges: ContactChanges | null = null,
): NewSubmission {
  return {
    submissionId,
    formId: 'form-1',
    formVersion: 1,
    submittedAt: toInstant(START_MS + 1000),
    source: 'headless',
    answers: { question: 'answer' },
    typed: null,
    extra: null,
    attribution: {},
    contact: contactChanges === null ? null : submittedContact(`new-${submissionId}`, contactChanges),
    limitPerContact: null,
    outbox: [],
    servedAt: null,
    judged: null,
    ...changes,
  }
}

function submittedContact(
  newContactId: string,
  changes: ContactChanges,
): NonNullable<NewSubmission['contact']> {
  return {
    newContactId,
    email: null,
    emailKey: typeof changes.email === 'string' ? emailKey(changes.email) : null,
    phone: null,
    firstName: null,
    lastName: null,
    licensePlate: null,
    ...changes,
  }
}

/** A store with two organizations, `org-a` and `org-b`, and a key for each, `key-a` and `key-b`. */
export interface TwoTenants extends StorageInstance {
  readonly clock: TestClock
  readonly tenant: (organizationId: string) => TenantWriter
  /** Reads with the organization's key. */
  readonly read: (
    organizationId: 'org-a' | 'org-b',
    queries: readonly ReadQuery[],
  ) => Promise<readonly (readonly StoredRow[])[]>
}

export async function twoTenants(make: MakeStorage): Promise<TwoTenants> {
  const clock: TestClock = { ms: START_MS, nowMs: () => clock.ms }
  const tenants = ['a', 'b'].map((letter) => ({
    organization: organization(`org-${letter}`),
    key: tenantKey(`org-${letter}`, `key-${letter}`),
  }))
  const storage = await (make.holding?.(clock, tenants) ?? saved(make, clock, tenants))
  const { administration, analytics, audit, erasures, exitSurvey, forms, importDirectory, keyed } = storage
  const { operatorChanges, operatorKeys, outbox, people, retentionDirectory, sends } = storage
  return {
    administration,
    analytics,
    audit,
    erasures,
    exitSurvey,
    forms,
    importDirectory,
    keyed,
    operatorChanges,
    operatorKeys,
    outbox,
    people,
    retentionDirectory,
    sends,
    organizationStore: (id) => storage.organizationStore(id),
    tenant: (id) => storage.tenant(id),
    imports: (id) => storage.imports(id),
    webhooks: (id) => storage.webhooks(id),
    outboxOf: (id) => storage.outboxOf(id),
    clock,
    async read(organizationId, queries) {
      const keyId = organizationId.replace('org', 'key')
      const read = await keyed.open(claimOf(organizationId, keyId)).read(queries)
      assert(read.authenticated)
      return read.results.map(storedRowsOf)
    },
  }
}

/** A store in which these tenants were saved through its ports. */
async function saved(
  make: MakeStorage,
  clock: TestClock,
  tenants: readonly SavedTenant[],
): Promise<StorageInstance> {
  const storage = await make(clock)
  for (const tenant of tenants) {
    assert.equal(await storage.administration.saveOrganization(tenant.organization), 'saved')
    await storage.administration.addKey(tenant.key)
  }
  return storage
}

/** The claims of a caller who has the key with that id. */
export function claimOf(organizationId: string, keyId: string): KeyClaim {
  return { organizationId, keyId, hashes: [`hash of ${keyId}`] }
}

/** A page of contacts, newest first. */
export function contactPage(changes: Partial<PageQuery> = {}): PageQuery {
  return {
    kind: 'page',
    collection: 'contacts',
    select: ['contactId', 'createdAt'],
    where: [],
    order: { field: 'createdAt', idField: 'contactId', direction: 'descending' },
    after: null,
    limit: 100,
    ...changes,
  }
}

/** The contact of that id in an organization, whole; undefined when there is none. */
export async function readContact(
  { read }: TwoTenants,
  id: string,
  organizationId: 'org-a' | 'org-b' = 'org-a',
): Promise<StoredRow | undefined> {
  const select = [...Object.keys(contact(id)), 'updatedAt']
  const [rows] = await read(organizationId, [{ kind: 'one', collection: 'contacts', select, id }])
  return rows?.[0]
}

/** An email that is about to be handed over. */
export function pendingSend(sendId: string, changes: Partial<SendRecord> = {}): SendRecord {
  return {
    sendId,
    channel: 'email',
    from: 'Acme <acme@mail.example.com>',
    to: 'a@example.com',
    providerId: null,
    outcome: 'pending',
    error: null,
    at: at(5),
    ...changes,
  }
}

/** A whole number below a bound. */
export type Draw = (below: number) => number

/** Draws the same numbers in every run. */
export function drawing(seed: number): Draw {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** `text` instants for offsets in seconds from the start. */
export function at(seconds: number): string {
  return toInstant(START_MS + seconds * 1000)
}

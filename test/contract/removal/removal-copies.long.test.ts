import { expect, test } from 'vitest'
import { createStorage } from '../../../adapters/node-sqlite/index.ts'
import { endpoints } from '../../support/contract/endpoints.ts'
import type { CollectionEndpoint } from '../../../domain/record/endpoint.ts'
import { forms } from '../../../domain/resources/forms.ts'
import { reviews, visibleReviews } from '../../../domain/resources/reviews.ts'
import { sweepRetention } from '../../../domain/organizations/retention.ts'
import { writtenResources } from '../../../domain/resources/index.ts'
import { sites } from '../../../domain/resources/sites.ts'
import { sendImport } from '../../support/data/sent-import.ts'
import { sampleRow } from '../../support/data/sample-rows.ts'
import { drawWrite } from '../../support/moving/random-writes.ts'
import type { MovingPlaces } from '../../support/moving/moving.ts'
import { openMovingStorage } from '../../support/moving/moving-storage.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { thorough } from '../../support/runner/thorough.ts'
import { openOperatorClient, type OperatorClient } from '../../support/services/operator/operator-client.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'

// A copy that is kept by syncing, with the removals, is equal to its source after any sequence of changes.

type Row = Readonly<Record<string, unknown>>

const synced: readonly CollectionEndpoint[] = endpoints.filter(
  (endpoint): endpoint is CollectionEndpoint =>
    endpoint.kind === 'collection' &&
    endpoint.rowsFrom !== 'pos' &&
    endpoint.parent === null &&
    endpoint.syncOrder !== null &&
    endpoint.keptDays === null,
)

/** How a copy names the rows of a collection, and how a removal names one. */
function keyOf({ resource }: CollectionEndpoint, row: Row): string {
  return resource.collection === visibleReviews.collection
    ? `${String(row.organizationId)} ${String(row.reviewId)}`
    : String(row[resource.idField])
}
const removedKey = ({ parentId, id }: Row) => {
  const parent = typeof parentId === 'string' ? `${parentId} ` : ''
  return `${parent}${String(id)}`
}

interface Reader {
  readonly service: TestService
  readonly key: string
}

async function pages({ service, key }: Reader, path: string, query: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const response = await service.send(`${path}?limit=500&${query}&cursor=${cursor}`, { key })
    const text = await response.text()
    expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
    const page = JSON.parse(text) as { data: Row[]; pagination: { nextCursor: string | null } }
    rows.push(...page.data)
    cursor = page.pagination.nextCursor
  }
  return rows
}

interface Copy {
  readonly rows: Map<string, Map<string, Row>>
  readonly since: Map<string, string>
}

/** Reads what changed, and then what was removed. A row that is later than its removal came again. */
async function sync(reader: Reader, { rows, since }: Copy): Promise<void> {
  for (const endpoint of synced) {
    const { removal } = endpoint.resource
    const known = rows.get(removal?.collection ?? '') ?? new Map<string, Row>()
    rows.set(removal?.collection ?? '', known)
    const from = since.get(endpoint.id) ?? '2026-01-01T00:00:00.000Z'
    for (const row of await pages(reader, endpoint.path, `updatedAfter=${from}`)) {
      known.set(keyOf(endpoint, row), row)
      since.set(endpoint.id, String(row.updatedAt))
    }
  }
  const from = since.get('removals') ?? '2026-01-01T00:00:00.000Z'
  for (const removal of await pages(reader, '/api/v1/removals', `updatedAfter=${from}`)) {
    since.set('removals', String(removal.updatedAt))
    const known = rows.get(String(removal.collection))
    const row = known?.get(removedKey(removal))
    if (row !== undefined && String(row.updatedAt) <= String(removal.updatedAt))
      known?.delete(removedKey(removal))
  }
}

async function source(reader: Reader): Promise<ReadonlyMap<string, readonly (readonly [string, Row])[]>> {
  const all = new Map<string, readonly (readonly [string, Row])[]>()
  for (const endpoint of synced) {
    const rows = await pages(reader, endpoint.path, '')
    all.set(
      endpoint.resource.removal?.collection ?? '',
      sorted(rows.map((row) => [keyOf(endpoint, row), row])),
    )
  }
  return all
}

const sorted = (entries: readonly (readonly [string, Row])[]) =>
  entries.toSorted(([left], [right]) => (left < right ? -1 : 1))

/** A longer run: `SYNC_STEPS=10000 npm test -- test/contract/removal/removal-copies.long.test.ts` */
const STEPS = Number(process.env.SYNC_STEPS ?? thorough(400, 120))
const STEPS_BETWEEN_SYNCS = 8

/** A name that is shown from another resource is its present one: that is no change of the row. */
const SHOWN_FROM_OTHERS = new Set(['formName'])
const comparable = (entries: readonly (readonly [string, Row])[]) =>
  JSON.stringify(entries, (name, value: unknown) => (SHOWN_FROM_OTHERS.has(name) ? undefined : value))

/** Random writes of submissions refer to forms, which must be there to be shown with them. */
const deleted = writtenResources.filter(({ collection }) => collection !== forms.collection)

/** What a step may change. One that is listed several times is drawn more often. */
const CHANGES = [
  ...Array.from({ length: 13 }, () => 'write' as const),
  ...(['delete rows', 'delete rows', 'erase', 'import', 'hide a review', 'keep no longer', 'move'] as const),
]

interface Source extends Reader {
  readonly admin: OperatorClient
  /** Removes what is old, in the place where the family is now. */
  readonly sweep: () => Promise<void>
}

const DAY_MS = 86_400_000

/** Makes a random change. The answer's status, where an operator asked for it. */
async function change(random: () => number, source: Source, step: number): Promise<[string, number]> {
  const { service, admin } = source
  const below = (limit: number) => Math.floor(random() * limit)
  service.clock.advance(1 + below(5_000))
  const index = below(9)
  const drawn = CHANGES[below(CHANGES.length)] ?? 'write'
  const post = async (path: string, body?: object): Promise<[string, number]> => {
    return [drawn, (await admin.post(`/organizations/acme/${path}`, body)).status]
  }
  switch (drawn) {
    case 'write':
      await drawWrite(random, service.clock, ['acme', 'kid'], step)(service.storage as never)
      return [drawn, 200]
    case 'delete rows': {
      const resource = deleted[below(deleted.length)] ?? sites
      const row = sampleRow(resource, index, 'acme-')
      const ids = [resource.key.map((field) => String(row[field])).join('\t')]
      return post(`rows/${resource.collection}/delete`, { ids })
    }
    case 'erase':
      return post('contacts/erase', { emails: [`visitor${index}@example.com`] })
    case 'import': {
      const consents = { emailConsent: 'unknown', smsConsent: 'unknown', tags: [`t${step}`] }
      const line = { contactId: `acme-contactId-${index}`, createdAt: '2026-01-01T00:00:00Z', ...consents }
      const importId = await sendImport(service, admin, 'acme', 'contacts', [line])
      return post(`imports/${importId ?? ''}/commit`)
    }
    case 'hide a review': {
      const organizationId = random() < 0.5 ? 'acme' : 'kid'
      const shown = { ...sampleRow(reviews, 5, `${organizationId}-`), isPreview: false }
      await service.storage
        .tenant(organizationId)
        .upsert('reviews', [{ ...shown, isDeleted: random() < 0.5 }])
      return [drawn, 200]
    }
    case 'keep no longer': {
      const set = await post('retention', { submissions: 1 + below(2) })
      service.clock.advance(below(DAY_MS))
      await source.sweep()
      return set
    }
    case 'move': {
      const begun = await post('move', { place: random() < 0.5 ? 'own' : 'shared' })
      await service.settled()
      return begun
    }
  }
}

test.each([1, 2, 3].slice(0, thorough(3, 1)))(
  'after random imports, deletions, erasures, retention and moves (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const opened: MovingPlaces[] = []
    const service = await openTestService((clock) => {
      const { storage, places } = openMovingStorage(clock)
      opened.push(places)
      return storage
    })
    const [places] = opened as [MovingPlaces]
    const key = await service.addOrganization('acme', { billingEvents: true, analytics: true })
    await service.addOrganization('kid', { parentId: 'acme' })
    for (const organizationId of ['acme', 'kid'])
      await service.storage.tenant(organizationId).upsert(
        forms.collection,
        Array.from({ length: 18 }, (_, index) => sampleRow(forms, index, `${organizationId}-`)),
      )
    const admin = await openOperatorClient(service, 'admin')
    const sweep = async () => {
      const place = await places.placeOf('acme')
      const executor = place.kind === 'shared' ? places.shared : places.own(place).serving
      const { retentionDirectory: retention } = createStorage({ executor, clock: service.clock })
      const error = () => expect.fail('a retention failed')
      await sweepRetention({ retention, clock: service.clock, log: { info: () => undefined, error } })
    }
    const reader = { service, key, admin, sweep }
    const copy: Copy = { rows: new Map(), since: new Map() }
    const happened = new Set<string>()
    for (let step = 1; step <= STEPS; step += 1) {
      const [made, status] = await change(random, reader, step)
      if (status === 200) happened.add(made)
      expect([made, status < 500]).toEqual([made, true])
      if (step % STEPS_BETWEEN_SYNCS !== 0) continue
      await sync(reader, copy)
      if (step % (10 * STEPS_BETWEEN_SYNCS) !== 0) continue
      for (const [collection, entries] of await source(reader)) {
        const copied = sorted([...(copy.rows.get(collection) ?? [])])
        expect([step, collection, comparable(copied)]).toEqual([step, collection, comparable(entries)])
      }
    }
    expect((await pages(reader, '/api/v1/removals', '')).length).toBeGreaterThan(0)
    expect([...happened].sort()).toEqual([...new Set(CHANGES)].sort())
  },
  60_000 + 200 * STEPS,
)

import { operatorRoles } from '../access/operator-credentials.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE, errorReply } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import { operated } from './serve.ts'
import type { Administration, HashHolder, HashCounts } from '../../ports/organizations.ts'
import type { Secrets } from '../access/secrets.ts'
import { compareBytes } from '../text/typed-text.ts'
import { cursorParameter, gapEntries, publishedGaps, readCursor, writeCursor } from './list.ts'
import { importKindNames } from '../imports/kinds.ts'

import * as v from 'valibot'

const Health = component(
  'Health',
  described(
    v.strictObject({
      status: described(v.literal('ok'), 'The service answers, and its storage does.'),
      at: described(v.pipe(v.string(), v.isoTimestamp()), "The service's clock."),
      operatorKeyId: described(v.nullable(v.string()), 'The key that this was asked with.'),
      operator: described(v.string(), 'The person or program that it was issued to.'),
      role: described(v.picklist(operatorRoles), 'What it may do.'),
    }),
    'How the service is, and who asked.',
  ),
)

export const getHealth = operated({
  id: 'health.get',
  method: 'GET',
  path: '/operator/v1/health',
  access: 'support',
  tag: 'Service',
  summary: 'See whether the service and this key work',
  description: 'The key is looked up in the storage, so an answer shows that both work.',
  responses: {
    200: jsonResponse('Both work.', Health, {
      status: 'ok',
      at: '2026-05-19T18:10:00.000Z',
      operatorKeyId: '3kTzB0n9QmVx',
      operator: 'ada',
      role: 'admin',
    }),
  },
  answer: async (_request, { clock }, { keyId, name, ...operator }) => {
    // Nobody with another role is admitted.
    const role = operator.role === 'admin' ? ('admin' as const) : ('support' as const)
    return jsonReply(
      200,
      { status: 'ok' as const, at: toInstant(clock.nowMs()), operatorKeyId: keyId, operator: name, role },
      PRIVATE,
    )
  },
})

const Column = v.strictObject({
  name: described(v.string(), 'The name of the field.'),
  type: described(v.picklist(['text', 'integer', 'real', 'boolean', 'json']), 'What a cell holds.'),
  isRequired: described(v.boolean(), 'Whether every row must have it.'),
  whenLeftOut: described(
    v.nullable(v.string()),
    'What a new row has without it, in words; null: it is required.',
  ),
  meaning: described(v.nullable(v.string()), 'What it means; null: its name says it.'),
  heads: described(
    v.array(v.string()),
    'What people call it at the head of a column, besides its name. Case, accents, spaces and punctuation do not matter.',
  ),
})

const Kind = v.strictObject({
  kind: described(v.string(), 'What the rows are.'),
  columns: described(v.array(Column), 'What a row may have, the required ones first.'),
  template: described(v.string(), 'A CSV file with a row of examples.'),
})

const ImportKinds = component(
  'ImportKinds',
  described(
    v.strictObject({ data: described(v.array(Kind), 'One for each kind.') }),
    'What can be imported.',
  ),
)

export const listImportKinds = operated({
  id: 'importKinds.list',
  method: 'GET',
  path: '/operator/v1/import-kinds',
  access: 'support',
  openTo: 'owner',
  tag: 'Imports',
  summary: 'List what can be imported, with the columns of its files',
  description: 'A kind comes after those to which its rows refer.',
  responses: {
    200: jsonResponse('Every kind.', ImportKinds, {
      data: [
        {
          kind: 'contact-lists',
          columns: [
            {
              ...{ name: 'listId', type: 'text', isRequired: true, whenLeftOut: null },
              ...{ meaning: 'Identifier of the list.', heads: [] },
            },
          ],
          template: 'listId\r\nlist-members\r\n',
        },
      ],
    }),
  },
  answer: async () => {
    // Loaded on demand, because only this needs the examples of the contract document.
    const { templateCsv, templateOf } = await import('../imports/template.ts')
    const data = importKindNames.map((kind) => {
      const columns = templateOf(kind)
      const shown = columns.map(({ name, type, isRequired, whenLeftOut, meaning, heads }) => {
        return { name, type, isRequired, whenLeftOut, meaning, heads: [...heads] }
      })
      return { kind, columns: shown, template: templateCsv(columns) }
    })
    return jsonReply(200, { data }, PRIVATE)
  },
})

/** The maximum number of keys and forms that a reply names. */
const NAMED_MAX = 50

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const Counts = v.strictObject({
  keys: described(count, 'Keys of all kinds that work.'),
  formPasswords: described(count, 'Passwords of forms.'),
  webhookSecrets: v.exactOptional(
    described(count, 'Secrets of webhooks, encrypted under it; left out: there are none.'),
  ),
})

const Status = component(
  'SecretsStatus',
  described(
    v.strictObject({
      current: described(Counts, 'Hashed under `ROOT_SECRET`.'),
      previous: described(Counts, 'Hashed under `ROOT_SECRET_PREVIOUS`; zero while no rotation lasts.'),
      lost: described(Counts, 'Hashed under a root secret that is neither: they do not work.'),
      underPrevious: described(
        v.array(
          v.strictObject({
            kind: described(v.picklist(['key', 'operator key', 'form', 'webhook']), 'What it is.'),
            id: v.string(),
            organizationId: described(
              v.nullable(v.string()),
              'Whose it is; null: nobody among the organizations.',
            ),
          }),
        ),
        `The first ${NAMED_MAX} of those that \`previous\` counts, of each database.`,
      ),
      nextCursor: v.exactOptional(
        described(
          v.string(),
          'Left out when everything is counted. Else there are families whose own databases were not asked yet: the answer to this cursor counts more of them, and its figures add to these.',
        ),
      ),
      ...gapEntries,
    }),
    'How far a rotation of the root secret has come.',
  ),
)

export const getSecrets = operated({
  id: 'secrets.status',
  method: 'GET',
  path: '/operator/v1/secrets',
  access: 'support',
  tag: 'Service',
  summary: 'Count keys and form passwords by root secret',
  description:
    'A key or password moves to the current root secret when it is used, and the secret of a webhook when it signs, as in a test. A rotation can be ended when nothing is under the previous one: what was not used until then stops working. Families with databases of their own are counted a few at a time.',
  query: { cursor: cursorParameter('`nextCursor` of the answer before.') },
  responses: {
    200: jsonResponse('The counts.', Status, {
      current: { keys: 41, formPasswords: 3 },
      previous: { keys: 1, formPasswords: 0 },
      lost: { keys: 0, formPasswords: 0 },
      underPrevious: [{ kind: 'key', id: '3kTzB0n9QmVx', organizationId: 'acme' }],
    }),
  },
  commands: [
    {
      words: ['secrets', 'status'],
      summary: 'Count the keys and form passwords under the current and the previous root secret, as JSON',
      details: [
        'Counts keys that work, of all kinds, and the passwords of all forms. What is still under the previous root secret',
        'is named on standard error. A rotation can be ended when nothing is: what was not used until then stops working.',
      ],
      examples: [''],
      again: ({ nextCursor }) => (nextCursor === undefined ? null : { cursor: nextCursor }),
      sum: (before, answer) => ({
        ...sumOfHashes(before, answer),
        underPrevious: [...before.underPrevious, ...answer.underPrevious],
        unanswered: [...(before.unanswered ?? []), ...(answer.unanswered ?? [])],
        unfinished: [...(before.unfinished ?? []), ...(answer.unfinished ?? [])],
      }),
      says: ({ current, previous, lost, underPrevious }) => {
        const more =
          previous.keys + previous.formPasswords + (previous.webhookSecrets ?? 0) - underPrevious.length
        const notes = underPrevious.map((holder) => `Under the previous root secret: ${named(holder)}.`)
        if (more > 0) notes.push(`And ${more} more.`)
        if ((lost.webhookSecrets ?? 0) > 0)
          notes.push(
            `Secrets of webhooks under neither root secret: ${String(lost.webhookSecrets)}. Rotate them.`,
          )
        if (lost.keys + lost.formPasswords > 0)
          notes.push(
            `Under neither root secret, so they do not work: keys ${lost.keys}, form passwords ${lost.formPasswords}.`,
          )
        return { out: [JSON.stringify({ current, previous })], notes }
      },
    },
  ],
  // The first answer counts in the shared database and in as many databases of families as one request may ask; each
  // further one, by its cursor, in the databases of the next families.
  answer: async ({ operation, query }, world) => {
    const { administration, overview, secrets } = world
    const scope = { endpointId: operation.id, organizationId: null }
    const given = await readCursor(query.cursor, scope, world)
    if (given === 'refused')
      return errorReply(400, 'Parameter cursor must be the nextCursor of such an answer.')
    const shared = given === null ? [await statusOf(administration, secrets)] : []
    const visit = await overview.administrations(given?.id ?? null, (placed) => statusOf(placed, secrets))
    const all = [...shared, ...visit.results.map(({ result }) => result)].reduce(added, NOTHING)
    const nextCursor =
      visit.next === null ? null : await writeCursor({ value: null, id: visit.next }, scope, world)
    return jsonReply(
      200,
      {
        ...all,
        ...(nextCursor === null ? {} : { nextCursor }),
        ...publishedGaps(visit),
      },
      PRIVATE,
    )
  },
})

function named({ kind, id, organizationId }: HashHolder): string {
  if (kind === 'operator key' || kind === 'webhook') return `${kind} ${id}`
  return `${kind} ${id} of ${organizationId === null ? 'the platform' : `organization ${organizationId}`}`
}

type DatabaseStatus = Pick<v.InferOutput<typeof Status>, 'current' | 'previous' | 'lost' | 'underPrevious'>

const NONE: HashCounts = { keys: 0, formPasswords: 0 }
const NOTHING: DatabaseStatus = { current: NONE, previous: NONE, lost: NONE, underPrevious: [] }

/** The progress of the rotation in one database. */
async function statusOf(
  administration: Pick<Administration, 'countHashes' | 'findHashes'>,
  secrets: Secrets,
): Promise<DatabaseStatus> {
  const counts = await hashesBySecret(administration, secrets)
  const underPrevious =
    secrets.previous === null ? [] : await administration.findHashes(secrets.previous.version, NAMED_MAX)
  return { ...counts, underPrevious: [...underPrevious] }
}

/** How many hashes were made under each root secret, and under one that is no longer configured. */
type HashesBySecret = Omit<DatabaseStatus, 'underPrevious'>

/** Counts hashes over the whole storage. When none is left under the previous root secret, a rotation can be ended. */
export async function hashesBySecret(
  administration: Pick<Administration, 'countHashes'>,
  { current, previous }: Secrets,
): Promise<HashesBySecret> {
  const all = await administration.countHashes(null)
  const underCurrent = await administration.countHashes(current.version)
  const underPrevious = previous === null ? NONE : await administration.countHashes(previous.version)
  return {
    current: underCurrent,
    previous: underPrevious,
    lost: {
      keys: all.keys - underCurrent.keys - underPrevious.keys,
      formPasswords: all.formPasswords - underCurrent.formPasswords - underPrevious.formPasswords,
      ...webhookSecrets(
        Math.max(
          0,
          (all.webhookSecrets ?? 0) -
            (underCurrent.webhookSecrets ?? 0) -
            (underPrevious.webhookSecrets ?? 0),
        ),
      ),
    },
  }
}

function added(left: DatabaseStatus, right: DatabaseStatus): DatabaseStatus {
  return {
    ...sumOfHashes(left, right),
    underPrevious: [...left.underPrevious, ...right.underPrevious].sort(byKind),
  }
}

/** Sorts by kind and id, as each database does, so that the order does not reveal where an organization lives. */
function byKind(left: HashHolder, right: HashHolder): number {
  const kinds = KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind)
  return kinds === 0 ? compareBytes(left.id, right.id) : kinds
}

const KINDS: readonly HashHolder['kind'][] = ['key', 'operator key', 'form', 'webhook']

/** The counts of two databases together. */
function sumOfHashes(left: HashesBySecret, right: HashesBySecret): HashesBySecret {
  return {
    current: sumOfCounts(left.current, right.current),
    previous: sumOfCounts(left.previous, right.previous),
    lost: sumOfCounts(left.lost, right.lost),
  }
}

/** Where there are no webhooks, nothing is said of them. */
function webhookSecrets(count: number): Pick<HashCounts, 'webhookSecrets'> {
  return count === 0 ? {} : { webhookSecrets: count }
}

function sumOfCounts(left: HashCounts, right: HashCounts): HashCounts {
  return {
    keys: left.keys + right.keys,
    formPasswords: left.formPasswords + right.formPasswords,
    ...webhookSecrets((left.webhookSecrets ?? 0) + (right.webhookSecrets ?? 0)),
  }
}

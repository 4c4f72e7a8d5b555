import { sql, type SqlBool } from 'kysely'
import type { Administration, HashHolder } from '../../../ports/organizations.ts'
import type { Clock } from '../../../ports/platform.ts'
import { atMost, bind, db, eb, slot, template, textsOf, nowOf, exists } from '../statement/compiler.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { FIRST, paged } from '../statement/list.ts'
import { isPlaced, type Guard } from '../placement/guard.ts'
import { resultsOf, rowsOf, type Executor } from '../statement/executor.ts'
import { keyColumns, keyFromRow, keyToRow } from '../tables.ts'
import { worksNow, createKeyUpkeep } from './keyed-storage.ts'
import { mayStillChange } from './people.ts'

type KeyAdministration = Omit<Administration, 'saveOrganization' | 'findOrganization' | 'listOrganizations'>

/**
 * Whether a key may be issued: its issuer works, or is a person who still has a role, or the holder of the root secret,
 * or is not checked here, because this database does not hold the keys of operators.
 */
const mayBeIssued = eb.or([
  eb(slot<number>('is_issuer_checked'), '=', sql.lit(0)),
  mayStillChange(slot<string | null>('issued_by'), slot<string>('organization_id')),
  exists(
    db
      .selectFrom('operator_keys as issuer')
      .where('issuer.key_id', '=', slot('issued_by'))
      .where(({ ref }) => worksNow((column) => ref(`issuer.${column}`))),
  ),
])

const given = slotsOf(keyColumns)
const addKey = template(insertWhen('api_keys', given, mayBeIssued))

const allKeys = db.selectFrom('api_keys').selectAll()
const findKey = template(allKeys.where('key_id', '=', slot('key_id')))

const keysOf = allKeys.where('organization_id', 'is', slot('organization_id'))
const listKeys = paged(keysOf, ['created_at', 'key_id'], 'asc')

const revokeKey = template(
  db
    .updateTable('api_keys')
    .set(({ fn }) => ({ revoked_at: fn.coalesce('revoked_at', slot('revoked_at')) }))
    .where('key_id', '=', slot('key_id')),
)

const issued = db
  .selectFrom('api_keys')
  .where('issued_by', 'in', textsOf(slot('issuers')))
  .where('organization_id', '=', slot('organization_id'))
  .where('revoked_at', 'is', null)
const findIssued = template(
  issued
    .select(['key_id as keyId', 'organization_id as organizationId'])
    .orderBy('created_at')
    .orderBy('key_id'),
)
const revokeIssued = template(
  db
    .updateTable('api_keys')
    .set({ revoked_at: slot('revoked_at') })
    .where('key_id', 'in', issued.select('key_id')),
)

const working = db.selectFrom('api_keys').where(({ ref }) => worksNow((column) => ref(column)))

/**
 * Whether the key can be replaced. Both statements of a rotation ask, and the second one makes it false, so both happen
 * or neither, and only once.
 */
const replaceable = working.where('key_id', '=', slot('replaced_id')).where('successor_id', 'is', null)

const addSuccessor = template(insertWhen('api_keys', given, eb.and([mayBeIssued, exists(replaceable)])))

const endReplaced = template(
  db
    .updateTable('api_keys')
    .set(({ fn }) => ({
      successor_id: slot('key_id'),
      expires_at: fn<string>('min', [fn.coalesce('expires_at', slot('ends_at')), slot('ends_at')]),
    }))
    .where('key_id', 'in', replaceable.select('key_id'))
    .where(mayBeIssued),
)

/** Whether a hash was made with the version of the secret in the slot; null: any. */
const isAnyVersion = eb(slot<string | null>('secret_version'), 'is', null)

/** Keys and forms that a move has left behind are counted where the family lives now. */
const hashedKeys = working
  .where(({ not, ref }) => not(isPlaced(ref('api_keys.organization_id'))))
  .where(({ eb, or }) => or([isAnyVersion, eb('secret_version', '=', slot('secret_version'))]))

const hashedOperatorKeys = db
  .selectFrom('operator_keys')
  .where(({ ref }) => worksNow((column) => ref(column)))
  .where(({ eb, or }) => or([isAnyVersion, eb('secret_version', '=', slot('secret_version'))]))

const hashedForms = db
  .selectFrom('forms')
  .where('password_hash', 'is not', null)
  .where(({ not, ref }) => not(isPlaced(ref('forms.organization_id'))))
  .where(({ or, ref }) =>
    or([
      isAnyVersion,
      sql<SqlBool>`instr(${ref('password_hash')}, '$' || ${slot('secret_version')} || '$') > 0`,
    ]),
  )

/** A secret before a rotation counts as long as it may be stored. */
const sealedSecrets = db
  .selectFrom('webhooks')
  .where(({ not, ref }) => not(isPlaced(ref('webhooks.organization_id'))))
  .where(({ and, eb, or, ref }) => {
    const isUnder = (column: 'secret' | 'previous_secret') =>
      sql<SqlBool>`instr(${ref(column)}, ${slot('secret_version')} || '.') = 1`
    return or([
      and([isAnyVersion, eb('secret', 'is not', null)]),
      isUnder('secret'),
      isUnder('previous_secret'),
    ])
  })

const count = sql<number>`count(*)`.as('count')

const countHashes = template(
  db.selectNoFrom([
    eb(hashedKeys.select(count), '+', hashedOperatorKeys.select(count)).$notNull().as('keys'),
    hashedForms.select(count).$asScalar().$notNull().as('formPasswords'),
    sealedSecrets.select(count).$asScalar().$notNull().as('webhookSecrets'),
  ]),
)

/** The columns of a holder, with its place in the order of kinds. */
const holder = (rank: number, kind: HashHolder['kind']) =>
  [sql.lit(rank).as('rank'), sql<HashHolder['kind']>`${sql.lit(kind)}`.as('kind')] as const

const findHashes = template(
  db
    .selectFrom(
      hashedKeys
        .select([...holder(1, 'key'), 'key_id as id', 'organization_id as organizationId'])
        .unionAll(
          hashedOperatorKeys.select([
            ...holder(2, 'operator key'),
            'key_id as id',
            sql<string | null>`null`.as('organizationId'),
          ]),
        )
        .unionAll(
          hashedForms.select([...holder(3, 'form'), 'form_id as id', 'organization_id as organizationId']),
        )
        .unionAll(
          sealedSecrets.select(({ ref }) => [
            ...holder(4, 'webhook'),
            sql<string>`${ref('organization_id')} || ':' || ${ref('webhook_id')}`.as('id'),
            'organization_id as organizationId',
          ]),
        )
        .as('holder'),
    )
    .select(['kind', 'id', 'organizationId'])
    .orderBy('rank')
    .orderBy('id')
    .limit(atMost('limit')),
)

/**
 * The keys of organizations and of the platform.
 * @param isIssuerChecked whether a key is stored only while the operator key that issues it works, which must be in the
 *   same database
 */
export function createKeys(
  executor: Executor,
  clock: Clock,
  guard: Guard,
  isIssuerChecked: boolean,
): KeyAdministration {
  const check = { is_issuer_checked: Number(isIssuerChecked) }
  return {
    async addKey(key) {
      const owners = key.organizationId === null ? [] : [key.organizationId]
      const values = { ...keyToRow(key), ...check, now: nowOf(clock) }
      const [added] = await resultsOf(guard({ organizationIds: owners }), [bind(addKey, values)])
      return added.changes > 0
    },

    async findKey(keyId) {
      const [row] = await rowsOf(guard({ keyId }), bind(findKey, { key_id: keyId }))
      return row === undefined ? null : keyFromRow(row)
    },

    async listKeys(organizationId, after, limit) {
      const page = bind(listKeys, { organization_id: organizationId, ...(after ?? FIRST), limit })
      const owners = organizationId === null ? [] : [organizationId]
      return (await rowsOf(guard({ organizationIds: owners }), page)).map(keyFromRow)
    },

    async revokeKey(keyId, revokedAt) {
      const [revoked] = await resultsOf(guard({ keyId }), [
        bind(revokeKey, { key_id: keyId, revoked_at: revokedAt }),
      ])
      // While the family moves, a trigger writes another row, so `changes` may exceed 1.
      return revoked.changes > 0
    },

    async revokeIssued(organizationId, issuers, revokedAt) {
      const values = { organization_id: organizationId, issuers: JSON.stringify(issuers) }
      const [{ rows }] = await resultsOf(guard({ organizationIds: [organizationId] }), [
        bind(findIssued, values),
        bind(revokeIssued, { ...values, revoked_at: revokedAt }),
      ])
      return rows
    },

    async rotateKey({ keyId, successor, endsAt }) {
      const issuing = { issued_by: successor.issuedBy, organization_id: successor.organizationId }
      const replaced = { replaced_id: keyId, now: nowOf(clock), ...check, ...issuing }
      const [added] = await resultsOf(guard({ keyId }), [
        bind(addSuccessor, { ...keyToRow(successor), ...replaced }),
        bind(endReplaced, { ...replaced, key_id: successor.keyId, ends_at: endsAt }),
      ])
      return added.changes > 0
    },

    ...createKeyUpkeep(guard),

    async countHashes(secretVersion) {
      const values = { secret_version: secretVersion, now: nowOf(clock) }
      const [row] = await rowsOf(executor, bind(countHashes, values))
      const { webhookSecrets = 0, ...counts } = row ?? { keys: 0, formPasswords: 0 }
      return webhookSecrets === 0 ? counts : { ...counts, webhookSecrets }
    },

    async findHashes(secretVersion, limit) {
      return rowsOf(executor, bind(findHashes, { secret_version: secretVersion, limit, now: nowOf(clock) }))
    },
  }
}

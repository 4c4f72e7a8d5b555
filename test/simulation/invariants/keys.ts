import type { KnownKey, Reference } from '../reference.ts'
import type { StoredPlaces } from '../service/stored-places.ts'
import { isAtHome, textOf, type ChangeCheck, type Watch } from './watch.ts'

/** The columns of a key that may change, each with the condition on its values before and afterwards. */
const CHANGING: Readonly<Record<string, (before: unknown, after: unknown) => boolean>> = {
  hash: () => true,
  secret_version: () => true,
  last_used_at: (before, after) => after !== null && (before === null || textOf(before) < textOf(after)),
  revoked_at: (before, after) => before === null && after !== null,
  expires_at: (before, after) => after !== null && (before === null || textOf(after) < textOf(before)),
  successor_id: (before, after) => before === null && after !== null,
}

/** Checks that keys only change towards their end, and that what ended stays so. */
export function createKeyChecks({ violated, happened }: Watch): ChangeCheck {
  return (changes) => {
    for (const { table, before, after, columns } of changes.filter(isAtHome)) {
      if (table !== 'api_keys' || before === null || after === null) continue
      const wrong = columns.find((column) => CHANGING[column]?.(before[column], after[column]) !== true)
      if (wrong !== undefined)
        violated(
          'a key only changes towards its end',
          `${String(after.key_id)}: ${wrong} from ${String(before[wrong])} to ${String(after[wrong])}`,
        )
      if (
        columns.includes('hash') !== columns.includes('secret_version') ||
        (columns.includes('hash') && before.revoked_at !== null)
      )
        violated('a key is hashed anew under another root secret', String(after.key_id))
      if (columns.includes('secret_version')) happened('a key is hashed under the new root secret')
    }
  }
}

/** Checks that each key is stored as answers told, in the database of its organization. */
export function checkKeysAtRest(
  stored: StoredPlaces,
  { keys }: Reference,
  violated: Watch['violated'],
  isStuck: (organizationId: string) => boolean,
): void {
  for (const key of keys.filter(({ organizationId }) => !isStuck(organizationId))) {
    const home = stored.named(stored.homeOf(key.organizationId)).changes()
    const row = home.row('api_keys', key.keyId)
    const isRight =
      row?.organization_id === key.organizationId &&
      row.scope === key.scope &&
      row.rate_per_minute === key.ratePerMinute &&
      isEndRight(key, row)
    if (!isRight)
      violated(
        'a key is stored as it was answered',
        `${key.keyId}, ${key.state}: ${JSON.stringify({ ...row, hash: undefined })}`,
      )
  }
}

function isEndRight({ state, endsAtMs }: KnownKey, row: Readonly<Record<string, unknown>>): boolean {
  const expiresMs = typeof row.expires_at === 'string' ? Date.parse(row.expires_at) : Infinity
  if (state === 'revoked') return row.revoked_at !== null
  return state !== 'works' || (row.revoked_at === null && expiresMs === endsAtMs)
}

/** The directory's tables of names, each with the table of own databases that has the names, and the column of a name. */
const NAMES = [
  { placed: 'placed_keys', table: 'api_keys', column: 'key_id' },
  { placed: 'placed_forms', table: 'forms', column: 'form_id' },
  { placed: 'placed_slugs', table: 'organizations', column: 'slug' },
] as const

/**
 * Checks that the directory has exactly the names that organizations with databases of their own hold. It may have more
 * keys and slugs: one is listed before it is stored, and then a call may fail, or the family move.
 */
export function checkDirectoryAtRest(
  stored: StoredPlaces,
  violated: Watch['violated'],
  isStuck: (organizationId: string) => boolean,
  isCalm: boolean,
): void {
  const directory = stored.named('shared').changes()
  for (const { placed, table, column } of NAMES) {
    const listed = new Map([...directory.rows(placed)].map((row) => [row[column], row.organization_id]))
    const held = new Map(
      stored
        .all()
        .flatMap((place) =>
          [...place.changes().rows(table)]
            .filter(
              (row) =>
                place.name !== 'shared' &&
                stored.homeOf(String(row.organization_id)) === place.name &&
                row[column] !== null,
            )
            .map((row) => [row[column], row.organization_id] as const),
        ),
    )
    for (const [name, organizationId] of held)
      if (listed.get(name) !== organizationId && !isStuck(String(organizationId)))
        violated(
          'the directory has the names of own databases',
          `${placed} lacks ${String(name)} of ${String(organizationId)}`,
        )
    for (const [name, organizationId] of listed) {
      const mayBeLeft = placed === 'placed_keys' || (placed === 'placed_slugs' && !isCalm)
      const isLeft = !mayBeLeft && !held.has(name)
      if (isLeft && !isStuck(String(organizationId)))
        violated(
          'the directory has the names of own databases',
          `${placed} has ${String(name)} of ${String(organizationId)}`,
        )
    }
  }
}

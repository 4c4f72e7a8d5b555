import { sql } from 'kysely'
import type { Opening } from '../../../ports/archives.ts'
import { slugTaken } from '../access/slug-taken.ts'
import { refuseMoving } from '../placement/guard.ts'
import { bind, db, eb, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { one, textsOf } from '../statement/words.ts'
import { advanceClock } from '../write/write-clock.ts'
import type { StoredTable } from './archived-tables.ts'
import { isPresent, ofRestoration } from './begin.ts'

const parentId = slot<string | null>('parentId')
const isParentMissing = eb.and([
  eb(parentId, 'is not', null),
  eb.not(
    eb.exists(
      db.selectFrom('organizations as other').select(one).where('other.organization_id', '=', parentId),
    ),
  ),
])

const mayOpen = eb.and([isPresent, eb.not(isParentMissing), eb.not(slugTaken)])

const judge = template(
  db.selectNoFrom([
    isPresent.as('isPresent'),
    isParentMissing.as('isParentMissing'),
    slugTaken.as('isSlugTaken'),
  ]),
)

/** Only the organization that was opened in this batch is tied, so that a trigger shows its reviews to the parent. */
const tie = template(
  db
    .updateTable('organizations')
    .set({ parent_id: parentId })
    .where('organization_id', '=', slot('organizationId'))
    .where(isPresent),
)

const refuse = refuseMoving(slot('organizationId'), parentId, eb.and([mayOpen, eb(parentId, 'is not', null)]))

const endKeys = template(
  db
    .updateTable('api_keys')
    .set({ revoked_at: slot('now') })
    .where('organization_id', '=', slot('organizationId'))
    .where('issued_by', 'in', textsOf(slot('endedIssuers')))
    .where('revoked_at', 'is', null)
    .where(mayOpen),
)

const end = template(
  db
    .updateTable('restores')
    .set({ ended_at: slot('now') })
    .where(ofRestoration)
    .where(mayOpen),
)

/** Opens an organization whose rows were restored. */
export async function open(
  executor: Executor,
  { archived, names }: StoredTable,
  organizationId: string,
  { restoreId, row, parentId, endedIssuers, now }: Opening,
): Promise<'opened' | 'lost' | 'slug_taken' | 'parent_missing'> {
  const given = archived.columns.flatMap(({ field }, index) =>
    field in row && field !== 'parentId' ? [{ name: names[index] ?? '', value: row[field] ?? null }] : [],
  )
  const base = { organizationId, organization_id: organizationId, restoreId, parentId, now }
  const values = { ...base, slug: row.slug ?? null }
  const insert = template(sql`
    insert into organizations (organization_id, ${sql.join(given.map(({ name }) => sql.id(name)))})
    select ${slot('organizationId')}, ${sql.join(given.map((_, index) => slot(`value${index}`)))} where ${mayOpen}`)
  const columns = Object.fromEntries(given.map(({ value }, index) => [`value${index}`, value]))
  const [judgement] = await resultsOf(executor, [
    bind(judge, values),
    bind(refuse, values),
    bind(insert, { ...values, ...columns }),
    bind(advanceClock, { organizationId: parentId, now }),
    bind(tie, base),
    bind(endKeys, { ...values, endedIssuers: JSON.stringify(endedIssuers) }),
    bind(end, values),
  ])
  const verdict = judgement.rows[0]
  if (verdict?.isPresent !== 1) return 'lost'
  if (verdict.isParentMissing === 1) return 'parent_missing'
  return verdict.isSlugTaken === 1 ? 'slug_taken' : 'opened'
}

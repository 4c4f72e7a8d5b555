import {
  db,
  eb,
  slot,
  atMost,
  bind,
  template,
  excluded,
  nextInstant,
  nowOf,
  type Template,
  exists,
} from '../statement/compiler.ts'
import { sql, type Expression, type SqlBool, type AliasableExpression } from 'kysely'
import type { Organization, RetentionSettings, Administration } from '../../../ports/organizations.ts'
import { resultsOf, rowsOf, type BoundValue, type Executor } from '../statement/executor.ts'
import { organizationToRow, settingColumns, organizationFromRow } from '../tables.ts'
import type { Clock } from '../../../ports/platform.ts'
import { isClosed, parentMissing, slugTaken } from '../placement/rules.ts'
import { isPlaced, type Guard } from '../placement/guard.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { createKeys } from './keys.ts'

const organizationId = slot<string>('organization_id')

/** The stored row of the organization in the slot `organization_id`. */
const was = db.selectFrom('organizations as was').where('was.organization_id', '=', organizationId)

const keptKinds = ['submissions', 'sends'] as const

const isKept = (kind: (typeof keptKinds)[number]) =>
  eb(
    db
      .selectFrom('retention')
      .select('days')
      .where('organization_id', '=', organizationId)
      .where('kind', '=', sql.lit(kind))
      .$asScalar(),
    'is',
    slot<number | null>(`was_kept_${kind}`),
  )

/**
 * Whether what is stored is still what the caller expects: the organization exists or not, its settings are the same,
 * and so is its retention if that is expected too. The slots are those of `expectedSettings`.
 */
export const unchanged = eb.or([
  eb(slot<number | null>('is_expected'), 'is', null),
  eb.and([
    eb(was.select(sql<number>`count(*)`.as('count')), '=', slot('is_expected')),
    eb.not(
      exists(
        was.where(({ eb, or }) =>
          or(settingColumns.map((column) => eb(`was.${column}`, 'is not', slot(`was_${column}`)))),
        ),
      ),
    ),
    eb.or([eb(slot<number | null>('was_kept'), 'is', null), eb.and(keptKinds.map(isKept))]),
  ]),
])

/**
 * The slots for what the caller expects to be stored: anything (undefined), no organization (null), or this one, with
 * this retention or with any (undefined).
 */
export function expectedSettings(
  replaced: Organization | null | undefined,
  retention?: RetentionSettings,
): Record<string, BoundValue> {
  const row = replaced == null ? null : organizationToRow(replaced)
  const settings = settingColumns.map((column) => [`was_${column}`, row?.[column] ?? null] as const)
  const kept = keptKinds.map((kind) => [`was_kept_${kind}`, retention?.[kind] ?? null] as const)
  return {
    is_expected: replaced === undefined ? null : Number(replaced !== null),
    was_kept: retention === undefined ? null : 1,
    ...Object.fromEntries([...settings, ...kept]),
  }
}

const parentId = slot<string | null>('parent_id')

/** An organization is never its own parent. */
const isParentMissing = eb.or([eb(parentId, 'is', organizationId), parentMissing(parentId)])

/** Whether the new parent is below the organization, so that the two would form a circle. */
const parentBelow = eb.and([
  eb(parentId, 'is not', organizationId),
  exists(
    db
      .withRecursive('above(id)', (above) =>
        above
          .selectNoFrom(parentId.as('id'))
          .union(
            above
              .selectFrom('organizations as other')
              .innerJoin('above', 'other.organization_id', 'above.id')
              .select('other.parent_id as id'),
          ),
      )
      .selectFrom('above')
      .where('id', '=', organizationId),
  ),
])

const isSlugTaken = slugTaken(organizationId)
const isRestoring = isClosed(organizationId)

const mayBeSaved = eb.and([
  eb.not(isSlugTaken),
  eb.not(isParentMissing),
  eb.not(parentBelow),
  unchanged,
  eb.not(isRestoring),
])

const judge = template(
  db.selectNoFrom([
    isSlugTaken.as('slug_taken'),
    isParentMissing.as('parent_missing'),
    parentBelow.as('parent_below'),
    unchanged.as('unchanged'),
    isRestoring.as('is_restoring'),
  ]),
)

/** The organization's row, where its slot holds another value in a column. */
const changing = db.selectFrom('organizations as o').where('o.organization_id', '=', organizationId)

/**
 * The id of the organization if it is saved with another value in a column, else no row. A statement that compares the
 * organization of its rows with this finds none of them then; with the condition beside the organization's id, SQLite
 * would go through all of its rows and test it for each.
 */
const savedWithOther = (column: 'phone_country' | 'automation_hourly') =>
  db
    .selectFrom('organizations as o')
    .select('o.organization_id')
    .where('o.organization_id', '=', organizationId)
    .where(({ ref }) => sql<SqlBool>`iif(${ref(`o.${column}`)} <> ${slot(column)}, ${mayBeSaved}, false)`)

/**
 * A form's answers are read with the organization's country, so changing the country changes the meaning of its forms.
 * Therefore it moves their versions on.
 */
const bumpForms = template(
  db
    .updateTable('forms')
    .set(({ eb }) => ({ version: eb('version', '+', sql.lit(1)) }))
    .where('organization_id', '=', savedWithOther('phone_country')),
)

/** The parent that the organization has until now. */
const storedParent = db
  .selectFrom('organizations as was')
  .select('was.parent_id')
  .where('was.organization_id', '=', organizationId)
  .$asScalar()
  .$notNull()

/**
 * The organization's reviews become visible to its new parent (a trigger copies them), and are removed from the old one,
 * so the clocks of both must move on first.
 */
const advanceParents = template(
  db
    .updateTable('organizations')
    .set(({ ref }) => ({ clock_at: nextInstant(ref('clock_at')) }))
    .where('organization_id', 'in', [slot('parent_id'), storedParent])
    .where(mayBeSaved)
    .where(exists(changing.where('o.parent_id', 'is not', slot('parent_id')))),
)

const rebounded = savedWithOther('automation_hourly')

/**
 * With another bound, the messages of automations that wait for the old one ask again, in the order in which they were
 * submitted.
 */
const askAgain = template(
  db
    .updateTable('outbox')
    .set(({ ref }) => ({ next_attempt_at: ref('created_at') }))
    .where('organization_id', '=', rebounded)
    .where('status', '=', sql.lit('pending'))
    .where('lease_token', '=', sql.lit(''))
    .where('waiting_since', 'is not', null),
)
const forgetPlaces = template(
  db
    .deleteFrom('automation_messages')
    .where('organization_id', '=', rebounded)
    .where('is_counted', '=', sql.lit(1))
    .where('is_sent', '=', sql.lit(0)),
)

/** Whether the family above an organization moves to another place. Moves are recorded in the shared database. */
const isMoving = (id: Expression<string | null>) => sql<SqlBool>`exists (
  with recursive above(id) as (select ${id} union
    select o.parent_id from organizations as o join above on o.organization_id = above.id)
  select 1 from above join moves as m on m.family_id = above.id and m.ended_at is null)`

/**
 * A statement that fails with `MovingError` when an organization is to join or leave a family that moves.
 * @param changes the SQL for whether the parent in the slot `parentId` is not the present one
 */
export function refuseMoving(
  organizationId: AliasableExpression<string>,
  parentId: Expression<string | null>,
  changes: Expression<SqlBool>,
): Template {
  const refused = { organization_id: organizationId, now: sql.lit('moving') }
  const isRefused = eb.and([changes, eb.or([isMoving(organizationId), isMoving(parentId)])])
  return template(insertWhen('refused_writes', refused, isRefused))
}

const refuse = refuseMoving(
  organizationId,
  parentId,
  eb.and([mayBeSaved, exists(changing.where('o.parent_id', 'is not', parentId))]),
)

const saveOrganization = template(
  insertWhen('organizations', slotsOf(['organization_id', ...settingColumns]), mayBeSaved).onConflict(
    (conflict) => conflict.column('organization_id').doUpdateSet(excluded(settingColumns)),
  ),
)

const allOrganizations = db.selectFrom('organizations').selectAll()
const findOrganization = template(allOrganizations.where('organization_id', '=', organizationId))

/** Without organizations that a move has taken to another database and whose rows are not yet removed here. */
const listOrganizations = template(
  allOrganizations
    .where(({ not, ref }) => not(isPlaced(ref('organizations.organization_id'))))
    .where('organization_id', '>', slot('afterId'))
    .orderBy('organization_id')
    .limit(atMost('limit')),
)

/**
 * The administration of organizations and keys.
 * @param isIssuerChecked as for `createKeys`
 */
export function createAdministration(
  executor: Executor,
  clock: Clock,
  guard: Guard,
  isIssuerChecked = false,
): Administration {
  return {
    async saveOrganization(organization, replaced, _choice, retention) {
      const expected = expectedSettings(replaced, retention)
      const row = { ...organizationToRow(organization), ...expected, now: nowOf(clock) }
      const { organizationId, parentId } = organization
      const concerned = [organizationId, parentId, replaced?.parentId].filter((id) => typeof id === 'string')
      const [judgement] = await resultsOf(guard({ organizationIds: concerned }), [
        bind(judge, row),
        bind(refuse, row),
        bind(bumpForms, row),
        bind(advanceParents, row),
        bind(askAgain, row),
        bind(forgetPlaces, row),
        bind(saveOrganization, row),
      ])
      const verdict = judgement.rows[0]
      if (verdict?.is_restoring === 1) return 'restoring'
      if (verdict?.slug_taken === 1) return 'slug_taken'
      if (verdict?.parent_missing === 1) return 'parent_missing'
      if (verdict?.parent_below === 1) return 'parent_below'
      return verdict?.unchanged === 0 ? 'changed' : 'saved'
    },

    async findOrganization(organizationId) {
      const own = guard({ organizationIds: [organizationId] })
      const [row] = await rowsOf(own, bind(findOrganization, { organization_id: organizationId }))
      return row === undefined ? null : organizationFromRow(row)
    },

    async listOrganizations(afterId, limit) {
      const page = bind(listOrganizations, { afterId: afterId ?? '', limit })
      return (await rowsOf(executor, page)).map(organizationFromRow)
    },

    ...createKeys(executor, clock, guard, isIssuerChecked),
  }
}

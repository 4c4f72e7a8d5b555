import { sql } from 'kysely'
import type { Organization, RetentionSettings } from '../../../ports/organizations.ts'
import { db, eb, slot } from '../statement/compiler.ts'
import type { BoundValue } from '../statement/executor.ts'
import { one } from '../statement/words.ts'
import { organizationToRow, settingColumns } from '../table/access-rows.ts'

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
      eb.exists(
        was
          .select(one)
          .where(({ eb, or }) =>
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

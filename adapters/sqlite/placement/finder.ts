import { sql, expressionBuilder, type Expression, type SqlBool } from 'kysely'
import type { PlaceFinder, OwnPlace, PlacedOrganization } from '../../../ports/placement.ts'
import { bind, db, slot, template, eb, one } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { parsed, type JsonText, type Database } from '../statement/database.ts'

const placed = () =>
  db
    .selectFrom('placed_organizations as p')
    .innerJoin('families as f', 'f.family_id', 'p.family_id')
    .select(familyColumns)

export const findPlace = template(() => placed().where('p.organization_id', '=', slot('organizationId')))

const findKey = template(() =>
  placed()
    .innerJoin('placed_keys as k', 'k.organization_id', 'p.organization_id')
    .select('k.organization_id as organizationId')
    .where('k.key_id', '=', slot('keyId')),
)

const noteWork = template(() =>
  db
    .updateTable('families')
    .set(({ eb, fn }) => ({
      work_since: fn<string>('min', [fn.coalesce('work_since', slot('at')), slot('at')]),
      work_notes: eb('work_notes', '+', sql.lit(1)),
      was_idle: sql.lit(0),
    }))
    .where('family_id', '=', slot('familyId')),
)

/** Finds places in the directory, which is in the shared database. */
export function createPlaceFinder(executor: Executor): PlaceFinder {
  return {
    async placeOf(id) {
      const [row] = await rowsOf(executor, bind(findPlace, { organizationId: id }))
      return row === undefined ? null : ownPlace(row)
    },
    async placeOfKey(keyId) {
      const [row] = await rowsOf(executor, bind(findKey, { keyId }))
      return row === undefined ? null : { organizationId: row.organizationId, place: ownPlace(row) }
    },
    async noteWork(familyId, at) {
      await executor.batch([bind(noteWork, { familyId, at })])
    },
  }
}

/** A row of the table `families`. */
export type FamilyRow = Omit<OwnPlace, 'kind'>

/** The columns of a `FamilyRow`, of `families` with the alias f. */
export const familyColumns = [
  'f.family_id as familyId',
  'f.generation',
  'f.region',
  'f.jurisdiction',
] as const

/**
 * The SQL for whether the directory places an organization in a database of its own, so that rows of it in this
 * database are what a move has left behind.
 * @param organizationId the SQL for the organization's id; it must not use the alias p
 */
export function isPlaced(organizationId: Expression<string | null>): Expression<SqlBool> {
  return eb.exists(
    db.selectFrom('placed_organizations as p').select(one).where('p.organization_id', '=', organizationId),
  )
}

export function ownPlace({ familyId, generation, region, jurisdiction }: FamilyRow): OwnPlace {
  return { kind: 'own', familyId, generation, region, jurisdiction }
}

const { fn, ref } = expressionBuilder<
  { readonly f: Database['families']; readonly p: Database['placed_organizations'] },
  'f' | 'p'
>()

const storedFamily = {
  familyId: ref('f.family_id'),
  generation: ref('f.generation'),
  region: ref('f.region'),
  jurisdiction: ref('f.jurisdiction'),
}

/**
 * The members of a family's row in an SQL object, so that `json_object('kind', 'own', …)` with these is an `OwnPlace`.
 * @param values the SQL for each value; by default, the columns of `families` with the alias f
 */
export function familyMembers(
  values: Readonly<Record<keyof FamilyRow, Expression<unknown>>> = storedFamily,
): readonly Expression<unknown>[] {
  return Object.entries(values).flatMap(([name, value]) => [sql.lit(name), value])
}

/** An organization with its place, as text in one column. */
export type PlacedText = JsonText<FamilyRow & { readonly organizationId: string }>

/** The SQL for `PlacedText`, from `placed_organizations` with the alias p and `families` with the alias f. */
export const placedText = fn<PlacedText>('json_object', [
  sql.lit('organizationId'),
  ref('p.organization_id'),
  ...familyMembers(),
])

export function placedOrganization(text: PlacedText): PlacedOrganization {
  const { organizationId, ...family } = parsed(text)
  return { organizationId, place: ownPlace(family) }
}

import { sql } from 'kysely'
import type { OwnPlace, PlaceReservation } from '../../../ports/placement.ts'
import { bind, db, eb, slot, template, one } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { isPlaced, ownPlace, findPlace } from './finder.ts'

const organizationId = slot<string>('organizationId')
const familyId = slot<string>('familyId')
const slug = slot<string | null>('slug')

const organization = db.selectFrom('organizations as o').select(one)
const placed = db.selectFrom('placed_organizations as p').select(one)

/** Whether another organization has the slug, in this database or in one of its own. */
const slugTaken = eb.and([
  eb(slug, 'is not', null),
  eb.or([
    eb.exists(
      organization.where('o.slug', '=', slot('slug')).where('o.organization_id', '<>', organizationId),
    ),
    eb.exists(
      db
        .selectFrom('placed_slugs as s')
        .select(one)
        .where('s.slug', '=', slot('slug'))
        .where('s.organization_id', '<>', organizationId),
    ),
  ]),
])

/**
 * Whether the entry cannot be made: the organization is in this database or in another family, or its family has no
 * database of its own yet.
 */
const isElsewhere = eb.or([
  eb.exists(placed.where('p.organization_id', '=', organizationId).where('p.family_id', '<>', familyId)),
  eb.and([
    eb.not(isPlaced(organizationId)),
    eb.exists(organization.where('o.organization_id', '=', organizationId)),
  ]),
  eb.and([
    eb(slot<number>('isNewFamily'), '=', sql.lit(0)),
    eb.not(
      eb.exists(
        db
          .selectFrom('families as f')
          .select(one)
          .where('f.family_id', '=', familyId)
          .where('f.place', '=', sql.lit('own')),
      ),
    ),
  ]),
])

const mayBeReserved = eb.and([eb.not(slugTaken), eb.not(isElsewhere)])

const judge = template(db.selectNoFrom([slugTaken.as('slugTaken'), isElsewhere.as('isElsewhere')]))

/** A family that returns from the shared database gets the next generation. */
const addFamily = template(
  db
    .insertInto('families')
    .columns(['family_id', 'place', 'generation', 'region', 'jurisdiction'])
    .expression(
      db
        .selectNoFrom([familyId.as('family_id'), sql.lit('own').as('place'), sql.lit(1).as('generation')])
        .select([slot('region').as('region'), slot('jurisdiction').as('jurisdiction')])
        .where(slot<number>('isNewFamily'), '=', sql.lit(1))
        .where(mayBeReserved),
    )
    .onConflict((conflict) =>
      conflict
        .column('family_id')
        .doUpdateSet(({ eb, ref }) => ({
          place: sql.lit('own'),
          generation: eb('families.generation', '+', sql.lit(1)),
          region: ref('excluded.region'),
          jurisdiction: ref('excluded.jurisdiction'),
        }))
        .where('families.place', '=', sql.lit('shared')),
    ),
)

const addOrganization = template(
  db
    .insertInto('placed_organizations')
    .columns(['organization_id', 'family_id'])
    .expression(
      db.selectNoFrom([organizationId.as('organization_id'), familyId.as('family_id')]).where(mayBeReserved),
    )
    .onConflict((conflict) => conflict.column('organization_id').doNothing()),
)

const addSlug = template(
  db
    .insertInto('placed_slugs')
    .columns(['slug', 'organization_id'])
    .expression(
      db
        .selectNoFrom([slug.as('slug'), organizationId.as('organization_id')])
        .where(slug, 'is not', null)
        .where(mayBeReserved),
    )
    .onConflict((conflict) => conflict.column('slug').doNothing()),
)

/**
 * Writes the directory's entry of an organization, and of its family if that is new, as `PlaceDirectory.reserve` says.
 */
export async function reserve(
  executor: Executor,
  reservation: PlaceReservation,
): Promise<OwnPlace | 'slug_taken' | 'elsewhere'> {
  const { organizationId: id, choice } = reservation
  const values = {
    organizationId: id,
    familyId: reservation.familyId,
    slug: reservation.slug,
    isNewFamily: Number(choice !== null),
    region: choice?.region ?? null,
    jurisdiction: choice?.jurisdiction ?? null,
  }
  const [judgement, , , , place] = await resultsOf(executor, [
    bind(judge, values),
    bind(addFamily, values),
    bind(addOrganization, values),
    bind(addSlug, values),
    bind(findPlace, { organizationId: id }),
  ])
  if (judgement.rows[0]?.slugTaken === 1) return 'slug_taken'
  const [row] = place.rows
  if (row === undefined || judgement.rows[0]?.isElsewhere === 1) return 'elsewhere'
  const found = ownPlace(row)
  const isAsked =
    choice === null || (found.region === choice.region && found.jurisdiction === choice.jurisdiction)
  return isAsked ? found : 'elsewhere'
}

import { sql } from 'kysely'
import type {
  FamilyWithWork,
  PlaceDirectory,
  PlacedFamily,
  OwnPlace,
  PlaceReservation,
} from '../../../ports/placement.ts'
import type { Clock } from '../../../ports/platform.ts'
import {
  atMost,
  bind,
  db,
  slot,
  template,
  textsOf,
  type Template,
  eb,
  jsonEach,
  jsonChunks,
  excluded,
  exists,
} from '../statement/compiler.ts'
import { rowsOf, type Executor, resultsOf } from '../statement/executor.ts'
import { familyColumns, isPlaced, ownPlace, createPlaceFinder, type FamilyRow, findPlace } from './guard.ts'
import { DELETION, slugTaken } from './rules.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { forms } from '../../../domain/resources/forms.ts'
import { toInstant } from '../../../domain/text/instant.ts'

/** The directory of places, which is in the shared database. */
export function createPlaceDirectory(executor: Executor, clock: Clock): PlaceDirectory {
  return {
    ...createPlaceFinder(executor),
    reserve: (reservation) => reserve(executor, reservation),

    async slugsOf(id) {
      return (await rowsOf(executor, bind(findSlugs, { organizationId: id }))).map(({ slug }) => slug)
    },

    async freeSlugs(id, slugs) {
      await executor.batch([bind(freeSlugs, { organizationId: id, slugs: JSON.stringify(slugs) })])
    },

    async reserveKey(keyId, id, issuedBy) {
      await executor.batch([bind(addKey, { keyId, organizationId: id, issuedBy })])
    },

    async forgetIssuers(ids, issuers) {
      const values = { organizationIds: JSON.stringify(ids), issuers: JSON.stringify(issuers) }
      await executor.batch([bind(forgetIssuers, values)])
    },

    ...formReservations(executor, clock),

    async release(id) {
      await executor.batch(releases.map((release) => bind(release, { organizationId: id })))
    },

    async list(afterId, limit) {
      return (await rowsOf(executor, bind(list, { afterId: afterId ?? '', limit }))).map((row) => ({
        organizationId: row.organizationId,
        place: row.isPlaced === 1 ? ownPlace(row) : { kind: 'shared' },
      }))
    },

    async families(afterId, limit) {
      return (await rowsOf(executor, bind(listFamilies, { afterId: afterId ?? '', limit }))).map(placedFamily)
    },

    async familiesWithWork(now, limit) {
      return (await rowsOf(executor, bind(withWork, { now, limit }))).map(familyWithWork)
    },

    async settleWork({ place: { familyId }, notes }, isIdle, next) {
      await executor.batch([bind(settleWork, { familyId, notes, isIdle: Number(isIdle), next })])
    },
  }
}

function placedFamily(row: WorkRow): PlacedFamily {
  return { place: ownPlace(row) }
}

function familyWithWork(row: WorkRow): FamilyWithWork {
  return { place: ownPlace(row), notes: row.notes, wasIdle: row.wasIdle === 1 }
}

const organizationId = slot<string>('organizationId')

const findSlugs = template(
  db.selectFrom('placed_slugs').select('slug').where('organization_id', '=', organizationId).orderBy('slug'),
)

const freeSlugs = template(
  db
    .deleteFrom('placed_slugs')
    .where('organization_id', '=', organizationId)
    .where('slug', 'in', textsOf(slot('slugs'))),
)

/** An organization that was deleted meanwhile gets no entry, which nobody would remove any more. */
const addKey = template(
  insertWhen(
    'placed_keys',
    slotsOf(['keyId', 'organizationId', 'issuedBy']),
    isPlaced(organizationId),
  ).onConflict((conflict) => conflict.column('key_id').doNothing()),
)

const forgetIssuers = template(
  db
    .updateTable('placed_keys')
    .set({ issued_by: sql`null` })
    .where('issued_by', 'in', textsOf(slot('issuers')))
    .where('organization_id', 'in', textsOf(slot('organizationIds'))),
)

const placed = db
  .selectFrom('placed_organizations')
  .select(['organization_id as id', sql<string | null>`family_id`.as('family_id')])
  .where('organization_id', '>', slot('afterId'))

const here = db
  .selectFrom('organizations as o')
  .select(['o.organization_id as id', sql<string | null>`null`.as('family_id')])
  .where(({ not, ref }) => not(isPlaced(ref('o.organization_id'))))
  .where('o.organization_id', '>', slot('afterId'))

/**
 * Both parts are sorted by the index. An organization whose rows are still here after a move is listed by its new place
 * only.
 */
const both = placed
  .unionAll(here)
  .orderBy(sql`1`)
  .limit(atMost('limit'))

const list = template(
  db
    .selectFrom(both.as('l'))
    .leftJoin('families as f', 'f.family_id', 'l.family_id')
    .select(({ eb }) => ['l.id as organizationId', eb('l.family_id', 'is not', null).as('isPlaced')])
    .select(familyColumns)
    .orderBy('l.id')
    .$castTo<FamilyRow & { readonly organizationId: string; readonly isPlaced: number }>(),
)

const families = db
  .selectFrom('families as f')
  .select(familyColumns)
  .select(['f.work_notes as notes', 'f.was_idle as wasIdle'])
  .where('f.place', '=', sql.lit('own'))
  .limit(atMost('limit'))

const listFamilies = template(families.where('f.family_id', '>', slot('afterId')).orderBy('f.family_id'))

const withWork = template(
  families.where('f.work_since', '<=', slot('now')).orderBy('f.work_since').orderBy('f.family_id'),
)

type WorkRow = NonNullable<typeof withWork.rowType>

const settleWork = template(
  db
    .updateTable('families')
    .set({ work_since: slot('next'), was_idle: slot('isIdle') })
    .where('family_id', '=', slot('familyId'))
    .where('work_notes', '=', slot('notes')),
)

/**
 * Rows that a move has left here are about to be deleted: until then nobody may use or make the organization. It is marked
 * as one that is being deleted, by the same row as the deletion of an organization writes.
 */
const closeWhatIsLeft = insertWhen(
  'restores',
  { organization_id: organizationId, ...DELETION, started_at: sql.lit('') },
  isPlaced(organizationId),
).onConflict((conflict) => conflict.doNothing())

/** What an organization holds, then its family when that has nobody left, with the record of its moves. */
const releases: readonly Template[] = [
  template<unknown>(closeWhatIsLeft),
  ...(['organizations', 'api_keys'] as const).map((table) =>
    template(
      db.deleteFrom(table).where('organization_id', '=', organizationId).where(isPlaced(organizationId)),
    ),
  ),
  ...(['placed_slugs', 'placed_keys', 'placed_forms', 'placed_organizations'] as const).map((table) =>
    template(db.deleteFrom(table).where('organization_id', '=', organizationId)),
  ),
  template(
    db
      .deleteFrom('families')
      .where('family_id', '=', organizationId)
      .where(
        eb.not(exists(db.selectFrom('placed_organizations as p').where('p.family_id', '=', organizationId))),
      ),
  ),
  // A move that is still to be tidied up is needed for that.
  template(
    db
      .deleteFrom('moves')
      .where('family_id', '=', organizationId)
      .where('ended_at', 'is not', null)
      .where('not_before', 'is', null)
      .where(eb.not(exists(db.selectFrom('families as f').where('f.family_id', '=', organizationId)))),
  ),
]

const familyId = slot<string>('familyId')

const inFamilies = db.selectFrom('placed_organizations as p')

const isSlugTaken = slugTaken(organizationId)

/**
 * Whether the entry cannot be made: the organization is in this database or in another family, or its family has no
 * database of its own yet.
 */
const isElsewhere = eb.or([
  exists(inFamilies.where('p.organization_id', '=', organizationId).where('p.family_id', '<>', familyId)),
  eb.and([
    eb.not(isPlaced(organizationId)),
    exists(db.selectFrom('organizations as o').where('o.organization_id', '=', organizationId)),
  ]),
  eb.and([
    eb(slot<number>('isNewFamily'), '=', sql.lit(0)),
    eb.not(
      exists(
        db
          .selectFrom('families as f')
          .where('f.family_id', '=', familyId)
          .where('f.place', '=', sql.lit('own')),
      ),
    ),
  ]),
])

const mayBeReserved = eb.and([eb.not(isSlugTaken), eb.not(isElsewhere)])

const judge = template(db.selectNoFrom([isSlugTaken.as('slugTaken'), isElsewhere.as('isElsewhere')]))

/** A family that returns from the shared database gets the next generation. */
const addFamily = template(
  insertWhen(
    'families',
    { ...slotsOf(['familyId', 'region', 'jurisdiction']), place: sql.lit('own'), generation: sql.lit(1) },
    eb.and([eb(slot<number>('isNewFamily'), '=', sql.lit(1)), mayBeReserved]),
  ).onConflict((conflict) =>
    conflict
      .column('family_id')
      .doUpdateSet(({ eb }) => ({
        ...excluded(['place', 'region', 'jurisdiction']),
        generation: eb('families.generation', '+', sql.lit(1)),
      }))
      .where('families.place', '=', sql.lit('shared')),
  ),
)

const addOrganization = template(
  insertWhen('placed_organizations', slotsOf(['organizationId', 'familyId']), mayBeReserved).onConflict(
    (conflict) => conflict.column('organization_id').doNothing(),
  ),
)

const addSlug = template(
  insertWhen(
    'placed_slugs',
    slotsOf(['slug', 'organizationId']),
    eb.and([eb(slot<string | null>('slug'), 'is not', null), mayBeReserved]),
  ).onConflict((conflict) => conflict.column('slug').doNothing()),
)

/**
 * Writes the directory's entry of an organization, and of its family if that is new, as `PlaceDirectory.reserve` says.
 */
async function reserve(
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

const formIds = slot<string>('formIds')

/** The given ids of forms that other organizations hold: in this database, or in databases of their own. */
const heldForms = db
  .selectFrom(jsonEach<string, 'id'>(formIds, 'id'))
  .innerJoin('forms as f', 'f.form_id', 'id.value')
  .select(['f.form_id as formId', 'f.organization_id as organizationId'])
  .select(sql<string | null>`null`.as('reservedAt'))
  .where('f.organization_id', '<>', organizationId)
  .unionAll(
    db
      .selectFrom(jsonEach<string, 'id'>(formIds, 'id'))
      .innerJoin('placed_forms as f', 'f.form_id', 'id.value')
      .select(['f.form_id as formId', 'f.organization_id as organizationId', 'f.reserved_at as reservedAt'])
      .where('f.organization_id', '<>', organizationId),
  )

const findHeld = template(heldForms)

/**
 * Whether an import of forms is being written. Its ids are not in the table of forms yet, so they could be the same.
 */
const isImporting = exists(
  db
    .selectFrom('import_sessions as s')
    .where('s.state', '=', sql.lit('writing'))
    .where('s.kind', '=', sql.lit(forms.collection)),
)

const findImporting = template(db.selectNoFrom(isImporting.as('isImporting')))

const addForms = template(
  db
    .insertInto('placed_forms')
    .columns(['form_id', 'organization_id', 'reserved_at'])
    .expression(
      db
        .selectFrom(jsonEach<string, 'id'>(formIds, 'id'))
        .select(['id.value', organizationId.as('organizationId'), slot('now').as('now')])
        .where(({ and, not }) => and([not(eb.exists(heldForms)), not(isImporting)])),
    )
    .onConflict((conflict) =>
      conflict
        .column('form_id')
        .doUpdateSet(excluded(['reserved_at']))
        .where('placed_forms.reserved_at', 'is not', null),
    ),
)

const settleForms = template(
  db
    .updateTable('placed_forms')
    .set({ reserved_at: sql`null` })
    .where('organization_id', '=', organizationId)
    .where('form_id', 'in', textsOf(formIds)),
)

const theseForms = db
  .deleteFrom('placed_forms')
  .where('organization_id', '=', organizationId)
  .where('form_id', 'in', textsOf(formIds))

const freeForms = template(theseForms.where('reserved_at', '<=', slot('reservedUntil')))

const releaseForms = template(theseForms)

/** Reserves ids of forms for families that have databases of their own. */
function formReservations(
  executor: Executor,
  clock: Clock,
): Pick<PlaceDirectory, 'reserveForms' | 'settleForms' | 'freeForms' | 'releaseForms' | 'formsOfOthers'> {
  /** Runs a statement for forms, several times where those are more than one value can hold. */
  const rowsOfEach = async <Row>(of: Template<Row>, id: string, formIds: readonly string[], more = {}) => {
    const statements = jsonChunks(formIds).map((chunk) =>
      bind(of, { organizationId: id, formIds: chunk, ...more }),
    )
    if (statements.length === 0) return []
    return (await resultsOf(executor, statements)).flatMap(({ rows }) => rows)
  }
  return {
    async reserveForms(id, formIds) {
      const values = { organizationId: id, formIds: JSON.stringify(formIds) }
      const [held, importing] = await resultsOf(executor, [
        bind(findHeld, values),
        bind(findImporting, {}),
        bind(addForms, { ...values, now: toInstant(clock.nowMs()) }),
      ])
      return importing.rows[0]?.isImporting === 1 ? null : held.rows
    },

    async settleForms(id, formIds) {
      await rowsOfEach(settleForms, id, formIds)
    },

    async freeForms(id, formIds, reservedUntil) {
      await rowsOfEach(freeForms, id, formIds, { reservedUntil })
    },

    async releaseForms(id, formIds) {
      await rowsOfEach(releaseForms, id, formIds)
    },

    formsOfOthers: (id, formIds) => rowsOfEach(findHeld, id, formIds),
  }
}

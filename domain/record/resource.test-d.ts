/**
 * Compile-time promises about records: each line marked as an error must be one, or the compiler reports the mark. The
 * compiler reads this file with all others (`npm run types`); nothing runs it.
 */
import { expectTypeOf } from 'vitest'
import { id, integer, nullable, text, timestamp } from './field.ts'
import { computed, derived, joined, updatedAt } from './resource-field.ts'
import { resource, joinedFrom, summaryOf, viewOf, type RowOf, type StoredNameOf } from './resource.ts'

const named = { name: 'Boat', collection: 'boats', description: 'It floats.' }

const boats = resource({
  ...named,
  idField: 'boatId',
  key: ['harbourId', 'boatId'],
  alternateKey: 'sail',
  selectsFew: { sail: 'launchedAt' },
  selectsMany: { harbourId: ['launchedAt', 'updatedAt'] },
  fields: {
    boatId: id(),
    harbourId: nullable(id()),
    harbourName: joined(text(), { collection: 'harbours', by: 'harbourId', field: 'name' }),
    length: integer(0),
    sail: text(),
    label: computed(text(), ['sail']),
    launchedAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: { sailLength: derived(integer(0)) },
  derive: {
    // @ts-expect-error a derived field is computed from imported ones, and another derived field is not imported
    sailLength: (row: { readonly sailLength: number }) => row.sailLength,
  },
  compute: {
    // @ts-expect-error a computed field sees only the fields that it declares to use
    label: (row: { readonly length: number }) => String(row.length),
  },
})

// Rows have the declared types; joined and computed fields are not stored.
type Boat = RowOf<typeof boats>
expectTypeOf<Boat['harbourId']>().toEqualTypeOf<string | null>()
expectTypeOf<Boat['sailLength']>().toEqualTypeOf<number>()
type BoatField = 'boatId' | 'harbourId' | 'length' | 'sail' | 'launchedAt' | 'updatedAt' | 'sailLength'
expectTypeOf<StoredNameOf<typeof boats>>().toEqualTypeOf<BoatField>()

const fields = { boatId: id(), sail: text() }

// @ts-expect-error the id is a stored field
resource({ ...named, idField: 'boadId', fields })
// @ts-expect-error the key consists of stored fields
resource({ ...named, idField: 'boatId', key: ['habrourId', 'boatId'], fields })
// @ts-expect-error the alternate key is a stored field
resource({ ...named, idField: 'boatId', alternateKey: 'sial', fields })
// @ts-expect-error a field that selects rows is a stored field
resource({ ...named, idField: 'boatId', selectsFew: { sial: 'boatId' }, fields })
// @ts-expect-error and so is one that orders them
resource({ ...named, idField: 'boatId', selectsMany: { sail: ['launched'] }, fields })

const harbourName = joined(text(), { collection: 'harbours', by: 'harborId', field: 'name' })
// @ts-expect-error a join is by a stored field
resource({ ...named, idField: 'boatId', fields: { ...fields, harbourName } })

const label = computed(text(), ['sial'])
// @ts-expect-error a computed field uses stored fields
resource({ ...named, idField: 'boatId', fields: { ...fields, label }, compute: { label: () => '' } })
// @ts-expect-error every computed field needs a function that computes it
resource({ ...named, idField: 'boatId', fields: { ...fields, label: computed(text(), ['sail']) } })

const hidden = { sailLength: derived(integer()) }
// @ts-expect-error every derived field needs a function that derives it
resource({ ...named, idField: 'boatId', fields, hidden })
// @ts-expect-error a derived field has its declared type
resource({ ...named, idField: 'boatId', fields, hidden, derive: { sailLength: ({ sail }) => sail } })

// @ts-expect-error a summary leaves out only published fields
summaryOf(boats, 'BoatSummary', ['sailLength'])
// A field that a summary does not show is still stored.
type Summary = ReturnType<typeof summaryOf<typeof boats, 'length'>>
expectTypeOf<StoredNameOf<Summary>>().toEqualTypeOf<BoatField>()

const only = { field: 'length', value: true } as const
const view = { name: 'Sail', description: 'Of a boat.', only, fields: { sail: text() } }
// A view's own row has the type that the view gives it.
viewOf(boats, {
  ...view,
  fields: { at: computed(text(), ['harbourId']), harbourId: id() },
  compute: { at: (row) => row.harbourId },
})
// @ts-expect-error the rows of a view are selected by a stored field
viewOf(boats, { ...view, only: { field: 'lenght', value: true } })
// @ts-expect-error a field of a view must be stored by the whole resource
viewOf(boats, { ...view, fields: { sial: text() } })

resource({
  ...named,
  idField: 'rowId',
  // @ts-expect-error fields are joined by a stored field
  fields: {
    rowId: id(),
    ...joinedFrom(boats, 'boadId'),
  },
})

import { expect, test } from 'vitest'
import { resources, reads } from '../resources/index.ts'
import { impersonal, nullable, personal, text, type Field } from './field.ts'
import { storedFields, type Resource } from './resource.ts'

const isPersonal = ({ personal: whose }: Field) => whose !== null && whose !== 'no'

test('every stored field of any text says whether it tells of a person', () => {
  const silent = resources.flatMap((resource) =>
    storedFields(resource).flatMap(([name, { field }]) =>
      field.personal === null ? [`${resource.name}.${name}`] : [],
    ),
  )
  expect(silent).toEqual([])
  expect(nullable(text()).personal).toBeNull()
})

test('what remains of a field is said once', () => {
  expect(personal(nullable(text())).personal).toEqual({ erased: null })
  expect(nullable(personal(text(), 'x')).personal).toEqual({ erased: null })
  expect(nullable(impersonal(text())).personal).toBe('no')
})

test('rows with a field that tells of a person say how they belong to one, and no others do', () => {
  const tells = (resource: Resource) => storedFields(resource).some(([, { field }]) => isPersonal(field))
  const names = (all: readonly Resource[]) => all.map(({ collection }) => collection)
  expect(names(resources.filter(({ person }) => person !== null))).toEqual(names(resources.filter(tells)))
})

test('everything that a tenant lists leaves a removal', () => {
  const listed = reads.flatMap((read) =>
    read.kind === 'collection' && read.rowsFrom !== 'pos' ? [read.resource.collection] : [],
  )
  const leaving = resources.filter(({ removal }) => removal !== null).map(({ collection }) => collection)
  expect(new Set([...leaving, 'removals'])).toEqual(new Set(listed))
})

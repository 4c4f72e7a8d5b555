import { describe, expect, it } from 'vitest'
import { eventLists } from '../../../../domain/pos/index.ts'
import { COLLECTIONS, type CollectionName } from '../../collections.ts'
import { SOURCE_KINDS } from '../../protocol.ts'
import { FAMILIES, hasOwnDatabases } from './index.ts'

const names = Object.keys(COLLECTIONS) as CollectionName[]

describe.each(SOURCE_KINDS)('%s', (kind) => {
  it.each(names)('%s: records every published field, and each that a filter compares', (name) => {
    const { fields, lists, compared } = FAMILIES[kind].collections[name]
    const { resource, filters } = COLLECTIONS[name]
    expect([...Object.keys(fields), ...Object.keys(lists)].sort()).toEqual(
      Object.keys(resource.fields).sort(),
    )
    const hidden = Object.values(filters).filter(({ field }) => !(field in resource.fields))
    expect(hidden.map(({ field }) => field)).toEqual(Object.keys(compared))
  })

  it('records every field of the events of an account', () => {
    const { lists } = FAMILIES[kind].collections['pos-recurring-account-details']
    for (const [list, { fields }] of eventLists) {
      expect(Object.keys(lists[list]?.fields ?? {})).toEqual(Object.keys(fields))
    }
  })

  it('is the family of its kind', () => {
    expect(FAMILIES[kind].kind).toBe(kind)
    expect(hasOwnDatabases(kind)).toBe(FAMILIES[kind].tenantColumn === null)
  })
})

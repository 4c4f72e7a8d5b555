import { describe, expect, it } from 'vitest'
import { definitionOf } from '../../../test/support/data/forms/forms.ts'
import { createFormCache, loadForm } from './cache.ts'

const form = (formId: string, version = 1, name = 'x') =>
  loadForm({
    organizationId: 'org',
    formId,
    version,
    isPublished: true,
    definition: { ...definitionOf([]), name },
    passwordHash: null,
    phoneCountry: 'US',
  })

const size = JSON.stringify(form('a').stored.definition).length

describe('the form cache', () => {
  it('returns what was put in last, and null for the rest', () => {
    const cache = createFormCache()
    cache.set(form('a'))
    cache.set(form('a', 2))
    expect(cache.get('a')?.stored.version).toBe(2)
    expect(cache.get('b')).toBeNull()
    cache.delete('a')
    cache.delete('a')
    expect(cache.get('a')).toBeNull()
  })

  it('makes room by dropping what was not used for longest', () => {
    const cache = createFormCache(3 * size)
    for (const id of ['a', 'b', 'c']) cache.set(form(id))
    cache.get('a')
    cache.set(form('d'))
    expect(['a', 'b', 'c', 'd'].filter((id) => cache.get(id) !== null)).toEqual(['a', 'c', 'd'])
  })

  it('counts a replaced or deleted form once', () => {
    const cache = createFormCache(2 * size)
    for (let round = 0; round < 5; round += 1) cache.set(form('a', round))
    cache.delete('a')
    for (const id of ['b', 'c']) cache.set(form(id))
    expect(['b', 'c'].filter((id) => cache.get(id) !== null)).toEqual(['b', 'c'])
  })

  it('does not keep a form that is larger than all of it', () => {
    const cache = createFormCache(2 * size)
    cache.set(form('a', 1, 'x'.repeat(3 * size)))
    expect(cache.get('a')).toBeNull()
    cache.set(form('b'))
    expect(cache.get('b')).not.toBeNull()
  })
})

import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { visibilityCases } from '../../test/support/data/forms/visibility-cases.ts'
import { bundleClient } from './build.mjs'

interface Client {
  readonly visibleIds: (form: unknown, answers: unknown) => ReadonlySet<string>
}

let source: string
let client: Client
beforeAll(async () => {
  source = await bundleClient()
  client = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`)) as Client
})

it('is small', () => {
  expect(gzipSync(source).length).toBeLessThan(8 * 1024)
})

it('loads nothing else', () => {
  expect(source).not.toMatch(/\bimport\b(?!\.meta)|\brequire\(/)
})

it('decides what is shown as the service does', () => {
  expect(visibilityCases.length).toBeGreaterThan(100)
  for (const { name, fields, answers, visible } of visibilityCases) {
    expect([...client.visibleIds({ fields }, answers)].sort(), name).toEqual([...visible].sort())
  }
})

it('shows everything when the rules go in a circle, and takes null settings for omitted ones', () => {
  const rule = (field: string) => ({ match: 'all', rules: [{ field, operator: 'is_empty' }] })
  const circle = { fields: [field('a', rule('b')), field('b', rule('a'))] }
  expect([...client.visibleIds(circle, {})]).toEqual(['a', 'b'])
  expect([...client.visibleIds({ fields: [field('a', null)] }, {})]).toEqual(['a'])
})

function field(id: string, visibleWhen: unknown): unknown {
  return { id, type: 'short_text', label: id, visibleWhen }
}

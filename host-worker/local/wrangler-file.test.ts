import { describe, expect, it } from 'vitest'
import { deployedAddress } from '../operator/client/deployed-address.ts'
import { projectWranglerFile, readWranglerFile, stringIn } from './wrangler-file.ts'

it('reads the databases, and the variables, of the project', () => {
  const { top, tables } = projectWranglerFile()
  expect(stringIn(top.compatibility_date)).toMatch(/^\d{4}-\d\d-\d\d$/)
  const databases = tables.filter(({ name }) => name === 'd1_databases')
  expect(databases.map(({ values }) => stringIn(values.binding))).toEqual(['DB', 'POS_LEGACY'])
})

it('knows comments, strings with a hash, and lists over several lines', () => {
  const text = `a = "x # y" # z\n# b = 1\nlist = [\n  "one", # first\n  "two",\n]\n[t] # table\nc = 'd'\n[[u]]\ne = {f = 1,\ng = 2}\n`
  expect(readWranglerFile(text)).toEqual({
    top: { a: '"x # y"', list: '[ "one", "two", ]' },
    tables: [
      { name: 't', values: { c: "'d'" } },
      { name: 'u', values: { e: '{f = 1, g = 2}' } },
    ],
  })
})

describe('the address of the deployed service', () => {
  it.each([
    ['routes = [{ pattern = "api.example.com", custom_domain = true }]', 'https://api.example.com'],
    [
      'routes = [\n  { zone_name = "example.com", pattern = "api.example.com/*" },\n]',
      'https://api.example.com',
    ],
    ['routes = ["*.example.com/*", "b.example.com/*"]', 'https://b.example.com'],
    ['route = "https://c.example.com/*"', 'https://c.example.com'],
    ['[[routes]]\npattern = "d.example.com"\ncustom_domain = true', 'https://d.example.com'],
  ])('is in %j', (text, url) => {
    expect(deployedAddress(readWranglerFile(text))).toEqual({ url })
  })

  it.each([
    '',
    '# routes = [{ pattern = "api.example.com" }]',
    'routes = ["*.example.com/*"]',
    'routes = []',
  ])('is not in %j', (text) => {
    expect(deployedAddress(readWranglerFile(text))).toEqual({
      problem: expect.stringContaining('names no address') as string,
    })
  })
})

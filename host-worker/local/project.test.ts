import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deployedAddress } from '../operator/client/open-service.ts'
import { projectRoot, projectWranglerFile, readWranglerFile } from './project.ts'

it('reads the databases of the project, its variables and its objects', () => {
  const { compatibility_date, d1_databases, vars, durable_objects } = projectWranglerFile()
  expect(compatibility_date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(d1_databases.map(({ binding }) => binding)).toEqual(['DB', 'POS_LEGACY'])
  expect(Object.keys(vars)).toContain('MAIL_DOMAIN')
  expect(durable_objects.bindings).toEqual([{ name: 'FAMILIES', class_name: 'FamilyDatabase' }])
})

it('describes a staging that has everything of the deployment, under names of its own', () => {
  const text = readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')
  const [live, staging] = [readWranglerFile(text), readWranglerFile(text, 'staging')]
  const bound = ({ d1_databases, r2_buckets, queues, durable_objects, vars }: typeof live) => [
    d1_databases.map(({ binding, migrations_dir: folder }) => [binding, folder]),
    r2_buckets.map(({ binding }) => binding),
    queues.producers.map(({ binding }) => binding),
    durable_objects.bindings,
    Object.keys(vars),
  ]
  expect(bound(staging)).toEqual(bound(live))
  const named = ({ name, d1_databases, r2_buckets, queues }: typeof live) => [
    name,
    ...d1_databases.map(({ database_name: database }) => database),
    ...r2_buckets.map(({ bucket_name: bucket }) => bucket),
    ...[...queues.producers, ...queues.consumers].map(({ queue }) => queue),
  ]
  expect(named(live).filter((name) => named(staging).includes(name))).toEqual([])
  expect(staging.routes).toEqual([])
})

const addressIn = (text: string) =>
  deployedAddress(readWranglerFile(`name = "n"\ncompatibility_date = "2026-10-20"\n${text}`))

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
    expect(addressIn(text)).toEqual({ url })
  })

  it.each([
    '',
    '# routes = [{ pattern = "api.example.com" }]',
    'routes = ["*.example.com/*"]',
    'routes = []',
  ])('is not in %j', (text) => {
    expect(addressIn(text)).toEqual({
      problem: expect.stringContaining('names no address') as string,
    })
  })
})

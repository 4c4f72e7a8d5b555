import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { builtWorker } from '../../test/support/services/built-worker.ts'
import type { BuiltWorker } from './bundle-worker.mjs'
import { bundleWorker, loadedFirst } from './bundle-worker.mjs'

/** The bound of the code that every isolate loads before it answers its first request. */
const FIRST_MAX_GZIP_BYTES = 120_000

let built: BuiltWorker
let first: ReadonlySet<string>
beforeAll(async () => {
  // A fresh clone does not have the parts for browsers yet, which this build makes.
  await builtWorker()
  built = await bundleWorker()
  first = loadedFirst(built.modules)
})

function inputsOf(paths: Iterable<string>): readonly string[] {
  return [...paths].flatMap((path) => built.modules.get(path)?.inputs ?? [])
}

it('loads little before the first request', () => {
  const sizes = built.files
    .filter(({ path }) => first.has(path))
    .map(({ contents }) => gzipSync(contents).length)
  expect(sizes.length).toBe(first.size)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(FIRST_MAX_GZIP_BYTES)
})

it.each([
  ['the contract document', /^domain\/(?:catalog|contract|document\/(?!routes))/],
  ['its schemas', /@valibot\/to-json-schema/],
  ['analytics', /^domain\/analytics\/(?!routes|churn-horizons)/],
  ['sending', /^domain\/messaging\/(?:serve|endpoints|request\/request)/],
  ['follow-up work', /^domain\/jobs\/(?:deliver|sweep|run-automation)/],
  ['pages', /^host-worker\/pages\/(?!paths)|^host-worker\/browser\//],
  ['outside sources', /^adapters\/(?:pos-|links-dub\/index|exit-survey|local\/mailbox-store)/],
  ['QStash deliveries', /queue-qstash\/receive|node_modules\/(?:jose|@upstash)/],
  ['imports', /^domain\/imports\//],
  [
    'what operators do',
    /^domain\/(?:operators\/|placement\/(?:operators\/|placed-storage|storage\/placed-administration))/,
  ],
  [
    'statements of rare work',
    /^adapters\/sqlite\/(?:move|imports|analytics|storage)|outbox\/(?:store|claim|runs|settle)/,
  ],
  ['the rules of phone numbers', /libphonenumber-js|phone-metadata/],
])('does not load %s with it', (_name, pattern) => {
  expect(inputsOf(first).filter((path) => pattern.test(path))).toEqual([])
  // A pattern that matches nothing, because files were moved, would prove nothing.
  expect(inputsOf(built.modules.keys()).some((path) => pattern.test(path))).toBe(true)
})

it('has a module for what is loaded on demand', () => {
  const onDemand = [...built.modules.keys()].filter((path) => !first.has(path))
  const inputs = inputsOf(onDemand)
  for (const path of [
    'domain/contract.ts',
    'domain/analytics/handled.ts',
    'domain/text/contact/phone-number.ts',
  ])
    expect(inputs).toContain(path)
})

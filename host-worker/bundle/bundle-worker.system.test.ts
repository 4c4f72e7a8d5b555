import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtWorker } from '../../test/support/services/built-worker.ts'
import { bundleWorker, loadedFirst, loadedWith, LOCAL, type BuiltWorker } from './bundle-worker.mjs'

/** The bound of the code that every isolate loads before its first request, in bytes of gzip. */
const FIRST_MAX_BYTES = 23_000

/** What the requests of each kind load in all: the bound in bytes of gzip, and what is left to other requests. */
const kinds = {
  'a submission': {
    source: 'host-worker/wiring/submissions.ts',
    maxBytes: 72_000,
    without: [
      ['reads', /^domain\/(?:read|resources|pos|record\/(?:resource|endpoint))\b|^adapters\/sqlite\/read\//],
      ['keys of organizations', /^domain\/access\/(?:authenticate|api-key)|^adapters\/sqlite\/access\/key/],
      ['the page that answers a form without scripts', /^domain\/forms\/reply-pages/],
    ],
  },
  'a request with a key': {
    source: 'host-worker/wiring/tenants.ts',
    maxBytes: 97_000,
    without: [
      [
        'submissions',
        /^domain\/forms\/(?:submit|evaluate|body|reply-pages)\b|^adapters\/sqlite\/write\/submission/,
      ],
      ['the engine of forms', /^domain\/forms\/language\/(?:compile|visibility|answers)\b/],
      ['analytics', /^domain\/analytics\//],
      ['sending', /^domain\/messaging\/(?:endpoints|request)\b/],
      ['the log of sends', /^adapters\/sqlite\/outbox\//],
    ],
  },
} as const

/** What few requests need, whatever their kind. */
const rare = [
  ['the contract document', /^domain\/(?:document\/|forms\/endpoints)/],
  ['its schemas', /@valibot\/to-json-schema/],
  ['follow-up work', /^domain\/jobs\/(?:deliver|sweep|work|automation\.)/],
  ['the database of a family', /^adapters\/durable-object\/object\/(?:family\.ts|batch|schema\.ts)/],
  ['pages', /^host-worker\/pages\/(?!paths)|^host-worker\/browser\//],
  ['outside sources', /^adapters\/(?:pos-|links-dub\/index|exit-survey)/],
  ['QStash deliveries', /queue-qstash\/receive|node_modules\/(?:jose|@upstash)/],
  ['imports', /^domain\/imports\//],
  [
    'what operators do',
    /^domain\/(?:operators\/|placement\/(?:operators\/|placed-storage|storage\/placed-administration))/,
  ],
  [
    'statements of rare work',
    /^adapters\/sqlite\/(?:move|imports|analytics|archive|erasure|index\.ts)|outbox\/(?:store|delivery|automation)/,
  ],
  ['the rules of phone numbers', /libphonenumber-js|phone-metadata/],
] as const

let built: BuiltWorker
let first: ReadonlySet<string>
beforeAll(async () => {
  // A fresh clone does not have the parts for browsers yet, which this build makes.
  await builtWorker()
  built = await bundleWorker()
  first = loadedFirst(built.modules)
})

/** Everything that an isolate has loaded once it serves requests of a kind. */
function loadedFor(source: string): ReadonlySet<string> {
  const [path] = [...built.modules].find(([, module]) => module.source === source) ?? []
  if (path === undefined) throw new Error(`No module begins with ${source}`)
  return new Set([...first, ...loadedWith(built.modules, path)])
}

function inputsOf(paths: Iterable<string>): readonly string[] {
  return [...paths].flatMap((path) => built.modules.get(path)?.inputs ?? [])
}

function gzipBytesOf(paths: ReadonlySet<string>): number {
  const sizes = built.files
    .filter(({ path }) => paths.has(path))
    .map(({ contents }) => gzipSync(contents).length)
  expect(sizes.length).toBe(paths.size)
  return sizes.reduce((sum, size) => sum + size)
}

function expectWithout(paths: ReadonlySet<string>, pattern: RegExp): void {
  expect(inputsOf(paths).filter((path) => pattern.test(path))).toEqual([])
  // A pattern that matches nothing, because files were moved, would prove nothing.
  expect(inputsOf(built.modules.keys()).some((path) => pattern.test(path))).toBe(true)
}

it('loads little before the first request, and nothing of a database', () => {
  expect(gzipBytesOf(first)).toBeLessThanOrEqual(FIRST_MAX_BYTES)
  expectWithout(
    first,
    /node_modules\/kysely|^adapters\/(?:sqlite\/(?!statement\/executor)|d1\/)|^domain\/resources\//,
  )
})

describe.each(Object.entries(kinds))('for %s', (_kind, { source, maxBytes, without }) => {
  it('loads not much more', () => {
    expect(gzipBytesOf(loadedFor(source))).toBeLessThanOrEqual(maxBytes)
  })

  it.each([...without, ...rare])('does not load %s', (_name, pattern) => {
    expectWithout(loadedFor(source), pattern)
  })
})

it('has nothing of a local start, which is another Worker', async () => {
  const ofLocalStart = /^host-worker\/(?:dev|local)\/|^adapters\/local\//
  expect(inputsOf(built.modules.keys()).filter((path) => ofLocalStart.test(path))).toEqual([])
  const text = built.files.map(({ contents }) => new TextDecoder().decode(contents)).join('')
  const words = ['INSERT INTO local_mailbox', 'INSERT INTO local_state', 'LOCAL_DEMO', 'Bubble & Shine']
  expect(words.filter((word) => text.includes(word))).toEqual([])
  const local = await bundleWorker(LOCAL)
  const localText = local.files.map(({ contents }) => new TextDecoder().decode(contents)).join('')
  // What is looked for is in the other one, so it would be found.
  expect(words.filter((word) => localText.includes(word))).toEqual(words)
})

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { builtOfSameSources } from './build-cache.mjs'

let root = ''
let builds = 0

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'build-cache-'))
  builds = 0
  source('a/one.ts', '1')
  source('a/b/two.ts', '2')
  source('lock.json', '{}')
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

function source(path: string, contents: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), contents)
}

const place = () => ({ root, sources: ['a', 'lock.json'], folder: join(root, 'cache') })

function build(): Promise<number> {
  return builtOfSameSources(place(), () => Promise.resolve((builds += 1)))
}

it('builds once of the same sources, and returns what can be serialized as it was', async () => {
  const made = { files: [{ path: 'x', contents: new Uint8Array([1, 2]) }], modules: new Map([['x', null]]) }
  const first = await builtOfSameSources(place(), () => Promise.resolve(made))
  const second = await builtOfSameSources(place(), () => Promise.reject(new Error('built again')))
  expect([first, second]).toEqual([made, made])
})

it.each<[string, () => void]>([
  [
    'the contents of a file',
    () => {
      source('a/b/two.ts', '3')
    },
  ],
  [
    'a file that is named by itself',
    () => {
      source('lock.json', '{ }')
    },
  ],
  [
    'a new file',
    () => {
      source('a/b/three.ts', '')
    },
  ],
  [
    'a file that is gone',
    () => {
      rmSync(join(root, 'a/b/two.ts'))
    },
  ],
  [
    'the name of a file',
    () => {
      rmSync(join(root, 'a/b/two.ts'))
      source('a/b/deux.ts', '2')
    },
  ],
  [
    'where one file ends and the next begins',
    () => {
      source('a/b/two.ts', '')
      source('a/one.ts', '12')
    },
  ],
])('builds anew when this changes: %s', async (_what, change) => {
  await build()
  change()
  expect(await build()).toBe(2)
})

it('takes what is installed inside the sources for no source', async () => {
  await build()
  source('a/node_modules/package/index.js', '')
  expect(await build()).toBe(1)
})

it('keeps nothing of a build during which a source changed', async () => {
  const stale = await builtOfSameSources(place(), () => {
    source('a/one.ts', 'while it was built')
    return Promise.resolve('stale')
  })
  source('a/one.ts', '1')
  expect([stale, await build()]).toEqual(['stale', 1])
})

it('only builds while a source is not there', async () => {
  rmSync(join(root, 'lock.json'))
  expect([await build(), await build()]).toEqual([1, 2])
  expect(existsSync(join(root, 'cache'))).toBe(false)
})

it('builds again over a result that cannot be read', async () => {
  await build()
  for (const name of readdirSync(join(root, 'cache'))) writeFileSync(join(root, 'cache', name), 'broken')
  expect([await build(), await build()]).toEqual([2, 2])
})

it('keeps a few results', async () => {
  for (let version = 0; version < 6; version += 1) {
    source('a/one.ts', `version ${version}`)
    await build()
  }
  expect(readdirSync(join(root, 'cache'))).toHaveLength(4)
  expect(await build()).toBe(6)
})

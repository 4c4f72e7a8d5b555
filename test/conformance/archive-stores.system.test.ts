import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWith, sealTo } from '../../adapters/archive-age/index.ts'
import { createFolderArchives } from '../../adapters/archive-folder/index.ts'
import type { ArchiveStore } from '../../ports/organization-store.ts'
import { openR2Runtime, type R2Runtime } from '../support/archives/r2-runtime.ts'
import { scratchFolder } from '../support/scratch/scratch-folder.ts'

const folder = scratchFolder()
let runtime: R2Runtime

beforeAll(async () => {
  runtime = await openR2Runtime()
})
afterAll(async () => {
  await runtime.dispose()
})

const stores: readonly (readonly [string, () => ArchiveStore])[] = [
  ['a folder', () => createFolderArchives(join(folder, 'archives'))],
  ['an R2 bucket', () => runtime.archives],
]

const MIB = 1024 * 1024

/** Bytes of which no two stretches are alike, as many as three parts of an upload have. */
const BYTES = new Uint8Array(17 * MIB)
for (let index = 0; index < BYTES.length; index += 1) BYTES[index] = (index * 31 + (index >> 8) * 7) & 255
const bytesOf = (length: number) => BYTES.subarray(0, length)

async function* pieces(bytes: Uint8Array<ArrayBuffer>, size: number, breaksAt = Infinity) {
  for (let start = 0; start < bytes.length; start += size) {
    if (start >= breaksAt) throw new Error('The source broke.')
    yield bytes.subarray(start, start + size)
  }
}

async function wholeOf(store: ArchiveStore, name: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (let offset = 0; ;) {
    const part = await store.read(name, offset, 3_000_000)
    if (part === null) throw new Error(`${name} is missing`)
    if (part.length === 0) return Buffer.concat(parts)
    parts.push(part)
    offset += part.length
  }
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe.each(stores)('archives in %s', (_, open) => {
  test.each([0, 1, 100_000, 8 * MIB, 8 * MIB + 1, 17 * MIB])('keep all of %i bytes', async (length) => {
    const store = open()
    const bytes = bytesOf(length)
    await store.put('some.tar', pieces(bytes, 700_001))
    expect(digest(await wholeOf(store, 'some.tar'))).toBe(digest(bytes))
    expect(await store.list(null, 10)).toEqual([{ name: 'some.tar', bytes: length }])
    await store.remove('some.tar')
    expect(await store.read('some.tar', 0, 1)).toBe(null)
    expect(await store.list(null, 10)).toEqual([])
  })

  test.each([100_000, 17 * MIB])('a source of %i bytes that breaks leaves nothing', async (length) => {
    const store = open()
    const broken = pieces(bytesOf(length), 50_000, length / 2)
    await expect(store.put('broken.tar', broken)).rejects.toThrow('broke')
    expect(await store.list(null, 10)).toEqual([])
  })

  test('are listed by their names, page by page, and replaced', async () => {
    const store = open()
    for (const name of ['b', 'a', 'c', 'B']) await store.put(name, pieces(bytesOf(3), 2))
    expect((await store.list(null, 2)).map(({ name }) => name)).toEqual(['B', 'a'])
    expect((await store.list('a', 2)).map(({ name }) => name)).toEqual(['b', 'c'])
    await store.put('a', pieces(bytesOf(5), 2))
    expect(await store.list('B', 1)).toEqual([{ name: 'a', bytes: 5 }])
    await store.remove('missing')
  })
})

test('a folder that cannot be written is an error', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(createFolderArchives(join(folder, 'file')).put('a', pieces(bytesOf(1), 1))).rejects.toThrow(
    /EEXIST|ENOTDIR/,
  )
})

test('what the runtime encrypts, only the holder of the secret key reads', async () => {
  const identity = await generateX25519Identity()
  const bytes = bytesOf(9 * MIB)
  await runtime.putSealed('sealed', bytes, await identityToRecipient(identity))
  const sealed = await wholeOf(runtime.archives, 'sealed')
  expect(Buffer.from(sealed).includes(Buffer.from(bytes.subarray(0, 64)))).toBe(false)
  const opened = async (key: string) => {
    const parts: Uint8Array[] = []
    for await (const part of openWith(key)(pieces(Uint8Array.from(sealed), 100_000))) parts.push(part)
    return digest(Buffer.concat(parts))
  }
  expect(await opened(identity)).toBe(digest(bytes))
  await expect(opened(await generateX25519Identity())).rejects.toThrow('no identity matched')
  expect(() => sealTo('age1wrong')).toThrow('invalid data length')
  const broken = sealTo(await identityToRecipient(identity))(pieces(bytes, 100_000, 5 * MIB))
  await expect(createFolderArchives(join(folder, 'archives')).put('broken', broken)).rejects.toThrow('broke')
})

import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { OpenDigest } from '../../ports/organization-store.ts'
import { concatenated, utf8 } from '../text/encoding.ts'
import type { ArchiveLines, ArchiveSource } from './archive.ts'
import { ArchiveProblem, readArchive } from './read-archive.ts'
import { tarHeader } from './tar.ts'
import { ChangedMeanwhile, writeArchive } from './write-archive.ts'

const openDigest: OpenDigest = () => {
  const hash = createHash('sha256')
  return { update: async (bytes) => void hash.update(bytes), end: async () => hash.digest('hex') }
}

const organization = {
  organizationId: 'acme',
  place: 'shared',
  region: null,
  jurisdiction: null,
  row: { name: 'Acme' },
} as const
const lines = Array.from({ length: 5 }, (_, index) => `{"siteId":"s${index}","name":"Zoë"}\n`)
const file = { file: 'rows/sites.ndjson', columns: ['siteId', 'name'] }
const page = (text: string): ArchiveLines => ({ lines: text, rows: text.split('\n').length - 1, next: null })
const source: ArchiveSource = {
  head: async () => ({ organization, secrets: false, files: [file] }),
  organization: async () => organization,
  lines: async () => page(lines.join('')),
}

async function written(from: ArchiveSource = source): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  for await (const piece of writeArchive({ source: from, openDigest, onProgress: () => undefined }))
    pieces.push(piece)
  return concatenated(pieces)
}

/** What a reader gives of some bytes, which come in pieces of a size, or what is wrong with them. */
async function readOf(bytes: Uint8Array, size = 700): Promise<string> {
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const given: unknown[] = []
  try {
    for await (const piece of readArchive(pieces(), openDigest)) given.push(piece)
    return JSON.stringify(given)
  } catch (error) {
    if (error instanceof ArchiveProblem) return `refused: ${error.message}`
    throw error
  }
}

let archive: Uint8Array<ArrayBuffer>
let content: string
beforeAll(async () => {
  archive = await written()
  content = await readOf(archive)
})

test('an archive is the same however its bytes come', async () => {
  expect(content).toContain('s4')
  for (const size of [1, 13, 512, 100_000]) expect(await readOf(archive, size)).toBe(content)
})

test('cut at any byte, it is refused', async () => {
  for (let end = 0; end < archive.length; end += 1)
    expect([end, await readOf(archive.subarray(0, end), 4_096)]).toEqual([
      end,
      expect.stringMatching(/^refused: The archive is cut off/),
    ])
})

test('with any byte altered, it is refused, unless it only tells something else of itself', async () => {
  const [manifestEnd] = [512 + new TextDecoder().decode(archive.subarray(512)).indexOf('\0')]
  for (let at = 0; at < archive.length; at += 1) {
    const altered = archive.slice()
    altered[at] = (altered[at] ?? 0) ^ 1
    const read = await readOf(altered, 4_096)
    // The manifest has no digest of its own; a service checks the names in it. Two bytes only end the sum of a header.
    const isOfManifest = at >= 512 && at < manifestEnd
    const isEndOfSum = read === content && [154, 155].includes(at % 512)
    if (!isOfManifest && !isEndOfSum) expect([at, read]).toEqual([at, expect.stringMatching(/^refused: /)])
  }
})

test('of another organization than its manifest says, it is refused', async () => {
  const text = Buffer.from(archive).toString('latin1')
  const renamed = Buffer.from(text.replace('"organizationId": "acme"', '"organizationId": "evil"'), 'latin1')
  expect(await readOf(renamed)).toBe(
    'refused: manifest.json was altered or damaged since the archive was written.',
  )
})

test('sizes are bounded before anything is read into memory', async () => {
  const endless = async (...begin: readonly Uint8Array[]) => {
    let given = 0
    async function* pieces() {
      yield* begin
      for (; given < 1_000; given += 1) yield new Uint8Array(1_000_000).fill(0x20)
    }
    await expect(async () => {
      for await (const piece of readArchive(pieces(), openDigest)) expect(piece).toBeDefined()
    }).rejects.toThrow(ArchiveProblem)
    return given
  }
  expect(await endless(tarHeader({ name: 'manifest.json', bytes: 8 ** 11 - 1 }))).toBeLessThan(3)
  // A file whose only line never ends.
  const huge = 5_000_000_000
  const text = Buffer.from(archive).toString('latin1')
  const size = /"bytes": (\d+)(?=,\s+"sha256": "[0-9a-f]+"\s+}\s+])/.exec(text)?.[1] ?? ''
  const manifest = utf8(/\{[^\0]*/.exec(text)?.[0].replace(`"bytes": ${size},`, `"bytes": ${huge},`) ?? '')
  const padded = (bytes: Uint8Array) =>
    concatenated([bytes, new Uint8Array((512 - (bytes.length % 512)) % 512)])
  const rest = archive.subarray(512 + Math.ceil(text.slice(512).indexOf('\0') / 512) * 512)
  const organizationBytes = rest.subarray(0, 512 + 512)
  const given = await endless(
    tarHeader({ name: 'manifest.json', bytes: manifest.length }),
    padded(manifest),
    organizationBytes,
    tarHeader({ name: file.file, bytes: huge }),
  )
  expect(given).toBeGreaterThan(10)
  expect(given).toBeLessThan(30)
})

test('what changes between both readings is no archive', async () => {
  let reads = 0
  const changing = (change: Partial<ArchiveSource>) => expect(written({ ...source, ...change })).rejects
  const later = (text: string) => async () => page((reads += 1) % 2 === 0 ? text : lines.join(''))
  await changing({ lines: later(lines.slice(1).join('')) }).toThrow(ChangedMeanwhile)
  await changing({ lines: later(lines.join('').replace('s0', 's9')) }).toThrow(ChangedMeanwhile)
  await changing({ lines: later([...lines, ...lines].join('')) }).toThrow(ChangedMeanwhile)
  await changing({ organization: async () => ({ ...organization, place: 'own' }) }).toThrow(ChangedMeanwhile)
  // A version of the service with one more column was deployed after the export had begun.
  const widened = lines.map((line) => line.replace('}', ',"nickname":null}')).join('')
  await changing({ lines: async () => page(widened) }).toThrow(ChangedMeanwhile)
})

import { expect, it, test } from 'vitest'
import { seededRandom } from '../../../test/support/runner/fakes.ts'
import {
  foreignFile,
  lineEndOf,
  linesIn,
  encodings,
  readableFile,
  type FileEncoding,
  lineTexts,
} from './lines.ts'
import { concatenated, decodeUtf8, utf8 } from '../../text/encoding.ts'

const utf16 = (text: string, swapped: boolean) => {
  const bytes = Buffer.from(text, 'utf16le')
  return new Uint8Array(swapped ? bytes.swap16() : bytes)
}
const MARK = '\u{FEFF}'
const FILE = 'firstName,email\nÉlodie 😀,e@example.com\n'

it.each([
  ['in UTF-16, as Excel saves "Unicode text"', utf16(MARK + FILE, false)],
  ['in UTF-16 with the other order of bytes', utf16(MARK + FILE, true)],
  ['in UTF-16 without a mark', utf16(FILE, false)],
  ['in UTF-16 without a mark, with the other order of bytes', utf16(FILE, true)],
])('a file %s is told to be saved as UTF-8', (_, bytes) => {
  expect(foreignFile(bytes)).toMatch(/^begins a file in UTF-16\. Save it as UTF-8/)
})

it('a workbook is told to be saved as CSV', () => {
  expect(foreignFile(utf8('PK\u{3}\u{4}sheet'))).toMatch(/^begins a workbook .* Save the sheet as CSV/)
})

it.each(['', 'a', 'PK,b', 'PK\u{3}', '\0\0\0\0', FILE, MARK + FILE, 'ÿþ', '\u{3}\u{4}'])(
  'a file that begins with %j may be a text',
  (text) => {
    expect(foreignFile(utf8(text))).toBeNull()
  },
)

it('finds the lines that a text has', () => {
  const random = seededRandom(25)
  const pick = (pieces: readonly string[]) => pieces[Math.floor(random() * pieces.length)] ?? ''
  for (let round = 0; round < 300; round += 1) {
    const length = Math.floor(random() * 8)
    const text = Array.from({ length }, () => pick(['a', 'é😀', '\n', '\r\n', '\r', MARK])).join('')
    const found = [...linesIn(utf8(text), 1, 0x0a)]
    const wanted = text.replace(/^\u{FEFF}/u, '').split('\n')
    // What comes after the last end is a line only when there is something.
    if (text === '' || text.endsWith('\n')) wanted.pop()
    expect(found.map((line) => line.text)).toEqual(wanted)
    expect(found.map(({ number }) => number)).toEqual(wanted.map((_, index) => index + 1))
    let end = 0
    for (const line of found) expect(line.end).toBe((end += line.byteLength))
    expect(end).toBe(utf8(text).length)
  }
})

it('a line that is no UTF-8, or too long for a row, has a problem and no text', () => {
  const [bad, good] = [...linesIn(Uint8Array.of(0xe9, 0x0a, 0x61), 1, 0x0a)]
  expect([bad?.text, bad?.problem, good?.text]).toEqual([
    null,
    expect.stringMatching(/^is not in UTF-8/) as string,
    'a',
  ])
  const problems = [1_000_000, 1_000_001].map((length) => [
    ...linesIn(new Uint8Array(length).fill(97), 1, 10),
  ])
  expect(problems.map(([line]) => line?.problem)).toEqual([
    null,
    'is longer than 1000000 bytes, which is more than a row can hold',
  ])
})

it.each([
  ['a\nb\r', 0x0a],
  ['a\rb\n', 0x0d],
  ['a\r\nb', 0x0a],
  ['"a\rb"\r\n', 0x0a],
  ['"a\r""b"\rc', 0x0d],
  ['"never closed\rb\n', 0x0a],
])('the first end of a line outside of quotes decides: %j', (text, end) => {
  expect([lineEndOf(utf8(text), true), lineEndOf(utf8(text), false)]).toEqual([end, end])
})

it.each([
  ['', 0x0a],
  ['no end', 0x0a],
  ['a\r', 0x0a],
  ['"open\r', 0x0a],
])('only the whole file tells where the lines of %j end', (text, end) => {
  expect([lineEndOf(utf8(text), true), lineEndOf(utf8(text), false)]).toEqual([end, null])
})

const TEXT = 'email,name\r\nmueller@example.com,"Jürgen Müller – „Straße“ €"\r\n'

/** The text in Windows-1252, whose characters beyond Latin-1 are written out here. */
const windows = Uint8Array.from(TEXT, (one) => {
  const beyond: Readonly<Record<string, number>> = { '–': 0x96, '„': 0x84, '“': 0x93, '€': 0x80 }
  return beyond[one] ?? one.codePointAt(0) ?? 0
})
const utf16WithMark = (isLittle: boolean, mark: boolean) => {
  const text = (mark ? '\u{FEFF}' : '') + TEXT
  return Uint8Array.from({ length: text.length * 2 }, (_, index) => {
    const unit = text.charCodeAt(index >> 1)
    return (index % 2 === 0) === isLittle ? unit & 0xff : unit >> 8
  })
}

/** A source that yields so many bytes at a time. */
const cut = (bytes: Uint8Array, size: number) => ({
  async *open() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  },
})

async function read(bytes: Uint8Array, size: number, given: FileEncoding | null = null) {
  const file = await readableFile(cut(bytes, size), given)
  if ('problem' in file) return file.problem
  const parts: Uint8Array[] = []
  for await (const part of file.source.open()) parts.push(part)
  return [decodeUtf8(concatenated(parts))?.replace('\u{FEFF}', ''), file.note]
}

test.each([1, 3, 1000])('every encoding is told by itself, cut every %i bytes', async (size) => {
  expect(await read(utf8(TEXT), size)).toEqual([TEXT, null])
  expect(await read(utf8(`\u{FEFF}${TEXT}`), size)).toEqual([TEXT, null])
  const note = 'is not UTF-8 and is read as Windows-1252, which gives "Jürgen" in line 2'
  expect(await read(windows, size)).toEqual([TEXT, note])
  for (const isLittle of [true, false])
    expect(await read(utf16WithMark(isLittle, true), size)).toEqual([TEXT, 'is read as UTF-16, by its mark'])
})

test('what is said decides', async () => {
  expect(await read(windows, 7, 'windows-1252')).toEqual([TEXT, null])
  expect(await read(utf16WithMark(true, false), 7, 'utf-16')).toEqual([TEXT, null])
  expect(await read(windows, 7, 'utf-8')).toEqual([undefined, null])
  expect(await read(utf8('abc'), 7, 'utf-16')).toBe('is not in UTF-16. Say its encoding')
  expect((await read(utf8('é'), 7, 'windows-1252'))[0]).toBe('Ã©')
  for (const given of [null, ...encodings]) expect(await read(utf8(''), 7, given)).toEqual(['', null])
})

test('Windows-1252 has the characters of the standard', async () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const [text = ''] = await read(all, 100, 'windows-1252')
  expect(Array.from(text ?? '', (one) => one.codePointAt(0)).slice(0xa0)).toEqual([...all.slice(0xa0)])
  expect(text).toContain('€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ')
})

function inPieces(text: string, size: number) {
  const bytes = utf8(text)
  const read: number[] = []
  const source = {
    async *open() {
      for (let start = 0; start < bytes.length; start += size) {
        read.push(start)
        yield bytes.slice(start, start + size)
      }
    },
  }
  return { source, read }
}

it.each([
  ['line feeds', 'one\ntwö\n\nfour'],
  ['both', 'one\r\ntwö\r\n\r\nfour\r\n'],
  ['carriage returns', 'one\rtwö\r\rfour\r'],
])('finds lines that end with %s, wherever the file is cut', async (_what, text) => {
  for (let size = 1; size <= text.length; size += 1) {
    const found = await lineTexts(inPieces(text, size).source, new Set([2, 3, 4, 9]))
    expect([...found]).toEqual([
      [2, 'twö'],
      [3, ''],
      [4, 'four'],
    ])
  }
})

it('reads no further than the last line that is asked for', async () => {
  const { source, read } = inPieces('line\n'.repeat(1_000), 10)
  expect([...(await lineTexts(source, new Set([3])))]).toEqual([[3, 'line']])
  expect(read.length).toBeLessThan(5)
})

it('gives a file without an end of a line up, instead of keeping all of it', async () => {
  const { source, read } = inPieces('x'.repeat(3_000_000), 500_000)
  expect([...(await lineTexts(source, new Set([1])))]).toEqual([])
  expect(read.length).toBe(3)
})

import { expect, it } from 'vitest'
import { seededRandom } from '../../../test/support/runner/fakes.ts'
import { foreignFile, lineEndOf, linesIn } from './lines.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
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

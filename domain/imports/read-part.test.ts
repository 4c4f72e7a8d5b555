import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../test/support/runner/fakes.ts'
import { utf8 } from '../text/encoding.ts'
import { LINE_MAX_BYTES, tooLongProblem, type Entry } from './file/lines.ts'
import { readPart, startOfFile, type FileFormat, type Reading } from './read-part.ts'

const columns = {
  names: [],
  secretField: null,
  typeOf: () => 'text' as const,
  problemOf: (field: string) => (field === 'bad' ? 'is unknown' : null),
}
const formats: readonly FileFormat[] = [
  { format: 'ndjson', columns, mapping: {} },
  { format: 'csv', columns, mapping: {} },
]

/**
 * Reads bytes in parts that end at these offsets. Between two parts the state is serialized as JSON, as when it is
 * stored.
 */
function readAt(bytes: Uint8Array, ends: readonly number[], file: FileFormat): readonly Entry[] {
  const entries: Entry[] = []
  let reading: Reading = startOfFile
  let start = 0
  for (const end of [...ends, bytes.length]) {
    const part = readPart(reading, bytes.subarray(start, end), end === bytes.length, file)
    entries.push(...part.entries)
    reading = JSON.parse(JSON.stringify(part.reading)) as Reading
    start = end
  }
  return entries
}

/** Pieces from which files are drawn, some of them faulty. */
const pieces = [
  'sep=;\n',
  '{"a":1}\n',
  '{"a":"é🚗"}\r\n',
  'a,b\n',
  '1,2\n',
  '"x, ""y""","two\nlines"\n',
  '"open\n',
  '"\n',
  'a"b,c\n',
  '\n',
  '  \r\n',
  '[1]\n',
  '1,2,3\n',
  'bad,b\n',
  'no line feed',
]

describe.each(formats)('$format', (file) => {
  it('reads the same entries wherever a file is cut', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = seededRandom(seed)
      const draw = (count: number) => Math.floor(next() * count)
      const text = Array.from({ length: 1 + draw(12) }, () => pieces[draw(pieces.length)]).join('')
      const bytes = utf8((seed % 5 === 0 ? '\u{FEFF}' : '') + text)
      const whole = readAt(bytes, [], file)
      const everywhere = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
      expect(readAt(bytes, everywhere, file), `seed ${seed}`).toEqual(whole)
      const somewhere = everywhere.filter(() => next() < 0.2)
      expect(readAt(bytes, somewhere, file), `seed ${seed}`).toEqual(whole)
    }
  })

  it('keeps no more of a line that never ends than a line can be long', () => {
    const part = new Uint8Array(256 * 1024).fill(0x78)
    let reading: Reading = startOfFile
    for (let count = 0; count < 400; count += 1) {
      const { entries, reading: after } = readPart(reading, part, false, file)
      expect(entries).toEqual([])
      expect(after.rest.length).toBeLessThanOrEqual(Math.ceil(LINE_MAX_BYTES / 3) * 4)
      reading = after
    }
    const { entries } = readPart(reading, utf8('x\n'), true, file)
    expect(entries).toEqual([{ line: 1, issue: { field: '(line)', message: tooLongProblem } }])
  })
})

it('goes on behind a line that is too long', () => {
  const bytes = utf8(`{"a":1}\n"${'x'.repeat(LINE_MAX_BYTES)}"\n{"a":2}\n`)
  const ends = Array.from({ length: 10 }, (_, index) => (index + 1) * 90_000)
  expect(readAt(bytes, ends, { format: 'ndjson', columns, mapping: {} })).toEqual([
    { line: 1, record: { a: 1 } },
    { line: 2, issue: { field: '(line)', message: tooLongProblem } },
    { line: 3, record: { a: 2 } },
  ])
})

import { describe, expect, it } from 'vitest'
import type { StorageType } from '../../record/field.ts'
import { utf8 } from '../../text/encoding.ts'
import { LINE_MAX_BYTES, type Entry } from './lines.ts'
import { entriesOf } from '../read-part.ts'

const types: Readonly<Record<string, StorageType>> = {
  id: 'text',
  note: 'text',
  count: 'integer',
  rate: 'real',
  open: 'boolean',
  tags: 'json',
}
const columns = {
  names: Object.keys(types),
  secretField: null,
  typeOf: (field: string) => types[field] ?? null,
  problemOf: (field: string) => (Object.hasOwn(types, field) ? null : 'is unknown'),
}

/** Yields a few bytes at a time, so that characters, lines and records are split at every position. */
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function collected(entries: AsyncIterable<Entry>): Promise<readonly Entry[]> {
  const all: Entry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

async function csv(text: string | Uint8Array, size = 3): Promise<readonly Entry[]> {
  const bytes = typeof text === 'string' ? utf8(text) : text
  return collected(entriesOf(inPieces(bytes, size), { format: 'csv', columns, mapping: {} }))
}

async function ndjson(text: string, size = 3): Promise<readonly Entry[]> {
  return collected(entriesOf(inPieces(utf8(text), size), { format: 'ndjson', columns, mapping: {} }))
}

function problems(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) =>
    'issue' in entry ? [`${entry.line} ${entry.issue.field} ${entry.issue.message}`] : [],
  )
}

const MAP = 'Rename the column, or map it: NAME=FIELD, or NAME= to leave it out.'

describe('CSV', () => {
  it('reads quoted cells, doubled quotes, line breaks in cells, CRLF and a byte order mark', async () => {
    const text = '\u{FEFF}id,note\r\n1,"a ""b"", c"\r\n2,"two\r\nlines 🚗"\r\n\r\n3,"",\r\n4,plain é\r\n'
    const expected = [
      { line: 2, record: { id: '1', note: 'a "b", c' } },
      { line: 3, record: { id: '2', note: 'two\r\nlines 🚗' } },
      { line: 6, record: { id: '3' } },
      { line: 7, record: { id: '4', note: 'plain é' } },
    ]
    for (const size of [1, 2, 5, 1000]) expect(await csv(text, size)).toEqual(expected)
  })

  it.each([
    ['sep=;', ';', '\n'],
    ['sep=,', ',', '\n'],
    ['sep=\t', '\t', '\n'],
    ['sep=\\t', '\t', '\n'],
    ['"sep=;"', ';', '\n'],
    ['"SEP=\t"', '\t', '\r\n'],
    ['\u{FEFF}Sep=;', ';', '\r\n'],
    ['\u{FEFF}"sep=," ', ',', '\r\n'],
    [' sep=;', ';', '\r'],
  ])('takes %j for what separates cells, and counts it as a line', async (first, delimiter, lineEnd) => {
    // The header has more known columns by another separator, which is not asked.
    const lines = [
      first,
      ['id', 'note'].join(delimiter),
      ['1', 'a,b;c\td'].map((cell) => `"${cell}"`).join(delimiter),
      'x"',
    ]
    for (const size of [1, 3, 1000]) {
      const entries = await csv(lines.join(lineEnd), size)
      expect(entries[0]).toEqual({ line: 3, record: { id: '1', note: 'a,b;c\td' } })
      expect(problems(entries)).toEqual([expect.stringMatching(/^4 \(line\) has a quote inside/)])
    }
  })

  it('splits by the announced separator even where another one knows more columns', async () => {
    expect(problems(await csv('sep=;\nid,note\n1,2\n'))).toEqual([`2 id,note is unknown ${MAP}`])
  })

  it.each([
    ['sep=|', 'announces "|" as the separator'],
    ['sep=', 'announces no separator'],
    ['"sep=:"', 'announces ":" as the separator'],
  ])('refuses %j with what to do', async (first, problem) => {
    expect(problems(await csv(`${first}\nid|note\n1|2\n`))).toEqual([
      `1 (line) ${problem}. Separate the cells by commas, semicolons or tabs, and write sep=, or sep=; here, or take the line out`,
    ])
  })

  it('knows an announcement in the first line only', async () => {
    expect(problems(await csv('\nsep=;\nid;note\n'))).toEqual([`2 sep= is unknown ${MAP}`])
    expect(await csv('id\nsep=;\n')).toEqual([{ line: 2, record: { id: 'sep=;' } }])
  })

  it('reads cells as their field is stored, and leaves out empty ones', async () => {
    const [entry] = await csv('id,count,rate,open,tags,note\n007,12,-1.5e2,TRUE,"[""a"",1]",\n')
    expect(entry).toEqual({
      line: 2,
      record: { id: '007', count: 12, rate: -150, open: true, tags: ['a', 1] },
    })
  })

  it('leaves what is no number or boolean as text, for the field to refuse', async () => {
    const [entry] = await csv('id,count,rate,open\n1,1x,0x10,yes\n')
    expect(entry).toEqual({ line: 2, record: { id: '1', count: '1x', rate: '0x10', open: 'yes' } })
  })

  it('names faulty records and goes on behind them', async () => {
    const entries = await csv('id,note,tags\n1,a"b,\n2,"a"b,\n3,ok,[\n4,fine,\n')
    expect(problems(entries)).toEqual([
      '2 (line) has a quote inside a cell that is not quoted. Put the cell in quotes and double each quote in it',
      '3 (line) has text after a closing quote. Double each quote inside a quoted cell',
    ])
    expect(entries.at(-2)).toEqual({ line: 4, record: { id: '3', note: 'ok', tags: '[' } })
    expect(entries.at(-1)).toEqual({ line: 5, record: { id: '4', note: 'fine' } })
  })

  it.each([
    ['id,nope\n1,2\n', [`1 nope is unknown ${MAP}`]],
    ['id,id\n1,2\n', ['1 id means id, as column 1 (id) does. Keep one of them']],
    ['I-D,i_d\n1,2\n', ['1 i_d means id, as column 1 (I-D) does. Keep one of them']],
    ['id,__proto__\n1,2\n', [`1 __proto__ is unknown ${MAP}`]],
    ['id,"open\n1,2\n', ['1 (line) has a quoted cell that never ends. Close its quote']],
  ])('ends at a faulty header: %j', async (text, expected) => {
    const entries = await csv(text)
    expect(problems(entries)).toEqual(expected)
    expect(entries).toHaveLength(expected.length)
  })

  it('does not collect a cell that never ends beyond the longest line', async () => {
    const text = `id,note\n1,"open\n${'x'.repeat(999).concat('\n').repeat(1_100)}`
    const entries = await csv(text, 65_536)
    expect(problems(entries)[0]).toBe(
      '2 (line) has a quoted cell that never ends, or is too long. Close its quote',
    )
  })

  it('bounds a record of several lines by its bytes, not by its characters', async () => {
    // 900,000 bytes, and with one line more than the bound of a million, though far fewer characters.
    const line = `${'€'.repeat(33_333)}\n`
    const record = (lines: number) => `id,note\n1,"${line.repeat(lines)}"\n`
    expect(problems(await csv(record(9), 2_000_000))).toEqual([])
    expect(problems(await csv(record(11), 2_000_000))[0]).toBe(
      '2 (line) has a quoted cell that never ends, or is too long. Close its quote',
    )
  })

  it('names bytes that are not UTF-8', async () => {
    const bytes = new Uint8Array([...utf8('id\n1\n'), 0xff, 0x0a, ...utf8('3')])
    expect(problems(await csv(bytes))).toEqual([
      '3 (line) is not in UTF-8. Save the file as UTF-8 (in Excel: "CSV UTF-8")',
    ])
  })
})

describe('NDJSON', () => {
  it('reads one object per line and skips blank lines', async () => {
    expect(await ndjson('{"a":"é🚗"}\r\n\n  \n{"b":2}')).toEqual([
      { line: 1, record: { a: 'é🚗' } },
      { line: 4, record: { b: 2 } },
    ])
  })

  it('names what is no object, and a line longer than a row can be', async () => {
    const text = `[1]\nnull\n{"a":\n"${'x'.repeat(LINE_MAX_BYTES)}"\n{"ok":1}\n`
    const entries = await ndjson(text, 65_536)
    expect(problems(entries)).toEqual([
      `1 (line) must be a JSON object, such as {"name":"Ada"}`,
      `2 (line) must be a JSON object, such as {"name":"Ada"}`,
      expect.stringMatching(
        /^3 \(line\) is not JSON: column \d+: .*\. Write one object a line, such as \{"name":"Ada"\}$/,
      ) as string,
      `4 (line) is longer than ${LINE_MAX_BYTES} bytes, which is more than a row can hold`,
    ])
    expect(entries.at(-1)).toEqual({ line: 5, record: { ok: 1 } })
  })
})

import { expect, test } from 'vitest'
import { shownJson } from '../../domain/text/terminal.ts'
import { cellOf, fitted, openTable } from './listing.ts'

function shown(width: number, rows: readonly (readonly string[])[], hasColour = false): string[] {
  const lines: string[] = []
  const heads = [{ head: 'id' }, { head: 'name', mayBeCut: true }, { head: 'at' }]
  const table = openTable(heads, { width, hasColour }, (line) => lines.push(line))
  for (const row of rows) table.add(row)
  table.end()
  return lines
}

test('columns are as wide as their widest cell', () => {
  expect(
    shown(80, [
      ['a', 'Ada', '1'],
      ['long-id', 'B', '22'],
    ]),
  ).toEqual(['ID       NAME  AT', 'a        Ada   1', 'long-id  B     22'])
})

test('a narrow terminal cuts what may be cut, and never an id', () => {
  const row = ['id-'.repeat(5), 'A name that is longer than anything', '2026']
  expect(shown(40, [row])).toEqual([
    'ID               NAME               AT',
    'id-id-id-id-id-  A name that is l…  2026',
  ])
  for (const line of shown(10, [row]).slice(1)) expect(line).toBe('id-id-id-id-id-  A name th…  2026')
})

test('characters of double width and joined ones are aligned', () => {
  expect(
    shown(80, [
      ['a', '洗車場', '1'],
      ['b', '👨‍👩‍👧', '2'],
      ['c', 'e\u0301', '3'],
    ]),
  ).toEqual(['ID  NAME    AT', 'a   洗車場  1', 'b   👨‍👩‍👧      2', 'c   e\u0301       3'])
  expect(fitted('洗車場', 4)).toBe('洗… ')
})

test('heads are bold where there is colour, and stand above the first of many rows alone', () => {
  expect(shown(80, [['a', 'b', 'c']], true)[0]).toBe('\u001b[1mID  NAME  AT\u001b[22m')
  const rows = Array.from({ length: 1001 }, (_, index) => [String(index), 'n', 't'])
  expect(shown(80, rows)).toHaveLength(1002)
  expect(shown(80, [])).toEqual([])
})

test('a cell is one line without commands to the terminal', () => {
  expect(cellOf(' a\n\t b  c ')).toBe('a b c')
  expect(cellOf('\u001b[2J\u009b1m\u202eabc')).toBe(String.raw`\u001b[2J\u009b1m\u202eabc`)
  const value = { a: '\u001b\u007f\u009b\u202e', b: ['\u2028'] }
  expect(JSON.parse(shownJson(value))).toEqual(value)
  expect(shownJson(value)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
})

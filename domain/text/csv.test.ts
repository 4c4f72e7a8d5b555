import { expect, test } from 'vitest'
import { seededRandom } from '../../test/support/runner/fakes.ts'
import { csvOf } from './csv.ts'

test.each([
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [-5, '-5'],
  [0.1, '0.1'],
  [true, 'true'],
  [['a', 'b; c'], '"a; b; c"'],
  [['=a'], "'=a"],
  [['a', '=b'], `"a;' =b"`],
  [[1, -5], `"1;' -5"`],
  [{ a: '"' }, '"{""a"":""\\""""}"'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['two\nlines', '"two\nlines"'],
  [' space', '" space"'],
  ['=1+1', "'=1+1"],
  ['+SUM(A1)', "'+SUM(A1)"],
  ['-cmd|x', "'-cmd|x"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"\t'=1"`],
  ['\n=1', `"\n'=1"`],
  ['\r＋1', `"\r'＋1"`],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
  ['﹫1', "'﹫1"],
  ['a;=1', `"a;'=1"`],
  ['a; \u00a0=1', `"a;' \u00a0=1"`],
  ['a\t@x', `"a\t'@x"`],
  ['a\r\n-x', `"a\r\n'-x"`],
  ['a\u2028=1', `"a\u2028'=1"`],
  ['a;"=1"', `"a;'""=1"""`],
  ['=1;=2\n+x', `"'=1;'=2\n'+x"`],
  ['=1,=2', `"'=1,=2"`],
  ['1=1; x-y', '"1=1; x-y"'],
  ['+49 761 1;+49 761 2', `"'+49 761 1;'+49 761 2"`],
  ['a\tb', '"a\tb"'],
  ['a;', '"a;"'],
  ['+1 (212) 555-0100', '+1 (212) 555-0100'],
  ['+12125550100', '+12125550100'],
  ['-12.5', '-12.5'],
  ['+1-cmd', "'+1-cmd"],
  ['+1-212-555-0123', "'+1-212-555-0123"],
  ['+1-212-555-0123 ', `"'+1-212-555-0123 "`],
  ['+1--2125550123', "'+1--2125550123"],
  ['-1-((2))', "'-1-((2))"],
  ['-12.5', '-12.5'],
  ['+1-(212)-555 - 0123', "'+1-(212)-555 - 0123"],
  ['-1-1', "'-1-1"],
  ['-1.5', '-1.5'],
  ['\u001b[2J', String.raw`\u001b[2J`],
])('%j is %j in a sheet', (value, cell) => {
  expect(csvOf([[value]])).toBe(`\uFEFF${cell}`)
})

/** The cells as a program sees them that splits at this character. A quote counts at the start of a cell only. */
function cellsSplitAt(separator: string, csv: string): readonly string[] {
  const end = `[^${separator}\\r\\n]*`
  const cell = new RegExp(`"(?:[^"]|"")*"${end}|${end}`, 'gy')
  const cells: string[] = []
  for (let at = 0; at < csv.length; at = cell.lastIndex + 1) {
    cell.lastIndex = at
    cells.push(cell.exec(csv)?.[0].replaceAll('"', '') ?? '')
  }
  return cells
}

test.each([';', '\t', ','])('no cell is a formula to a program that splits at %j', (separator) => {
  const random = seededRandom(41)
  const pieces = [
    '=',
    '+',
    '-',
    '@',
    '＝',
    ';',
    ',',
    '"',
    "'",
    '\t',
    '\n',
    '\r',
    ' ',
    '\u00a0',
    'a',
    '1',
    'cmd|',
  ]
  const drawn = () =>
    Array.from(
      { length: 1 + Math.floor(random() * 8) },
      () => pieces[Math.floor(random() * pieces.length)],
    ).join('')
  for (let count = 0; count < 3_000; count += 1) {
    const rows = [1, 2].map((id) => [id, drawn(), [drawn(), 'b', drawn()], drawn()])
    const cells = cellsSplitAt(separator, csvOf(rows).slice(1))
    const formulas = cells.filter(
      (cell) => /^\s*[=+\-@＝]/.test(cell) && !/^[+-]\d[\d ().-]*$/.test(cell.trim()),
    )
    expect(formulas, JSON.stringify(rows)).toEqual([])
  }
})

test('a sheet has a byte order mark and lines that end as RFC 4180 says', () => {
  expect(
    csvOf([
      ['a', 'b'],
      [1, null],
    ]),
  ).toBe('\uFEFFa,b\r\n1,')
})

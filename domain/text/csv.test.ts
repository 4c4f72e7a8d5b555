import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

test.each([
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [-5, '-5'],
  [0.1, '0.1'],
  [true, 'true'],
  [['a', 'b; c'], 'a; b; c'],
  [['=a'], "'=a"],
  [{ a: '"' }, '"{""a"":""\\""""}"'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['two\nlines', '"two\nlines"'],
  [' space', '" space"'],
  ['=1+1', "'=1+1"],
  ['+SUM(A1)', "'+SUM(A1)"],
  ['-cmd|x', "'-cmd|x"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\n=1', '"\'\n=1"'],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
  ['+1 (212) 555-0100', '+1 (212) 555-0100'],
  ['+12125550100', '+12125550100'],
  ['-12.5', '-12.5'],
  ['+1-cmd', "'+1-cmd"],
  ['\u001b[2J', String.raw`\u001b[2J`],
])('%j is %j in a sheet', (value, cell) => {
  expect(csvOf([[value]])).toBe(`\uFEFF${cell}`)
})

test('a sheet has a byte order mark and lines that end as RFC 4180 says', () => {
  expect(
    csvOf([
      ['a', 'b'],
      [1, null],
    ]),
  ).toBe('\uFEFFa,b\r\n1,')
})

import { expect, test } from 'vitest'
import { createDraw } from '../../test/support/data/draw.ts'
import { breakableParts } from './app/kit/breakable.ts'

test('addresses and ids are broken behind their marks, neither near an end nor in short words', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['', ['']],
    ['ada@example.com', ['ada@example.com']],
    ['Customer.0232@example.org', ['Customer.', '0232@', 'example.org']],
    [
      'maximiliana.von-der-leyden@mail.example.com',
      ['maximiliana.', 'von-', 'der-', 'leyden@', 'mail.', 'example.com'],
    ],
    ['pur_YDDPTGFeRZugOVWQjKvPW_37oBoJS4NhtAZeBw', ['pur_YDDPTGFeRZugOVWQjKvPW_', '37oBoJS4NhtAZeBw']],
    ['https://www.example.com/a/path', ['https://', 'www.', 'example.', 'com/', 'a/', 'path']],
    ['a sentence. With few marks, and short ones', ['a sentence. With few marks, and short ones']],
    ['…'.repeat(40), ['…'.repeat(40)]],
  ]
  for (const [text, parts] of cases) expect(breakableParts(text)).toEqual(parts)
})

/** The same places, found character by character. */
function naiveParts(text: string): readonly string[] {
  const isSpace = (sign: string) => sign.trim() === ''
  const isMark = (sign: string) => '@.-_/?&=+'.includes(sign)
  const units = text.split('')
  const parts = ['']
  for (const [at, unit] of units.entries()) {
    const before = units.slice(Math.max(0, at - 6), at)
    const after = units.slice(at, at + 4)
    const isPlace =
      ![...before, ...after].some(isSpace) && before.length === 6 && after.length === 4 && !isMark(unit)
    if (text.length >= 20 && isPlace && isMark(before[5] ?? '')) parts.push('')
    parts.push((parts.pop() ?? '') + unit)
  }
  return parts
}

test('the parts of any text are those that a naive search finds', () => {
  const draw = createDraw(45)
  const signs = ['a', 'Z', '7', '@', '.', '-', '_', '/', ' ', '\n', 'é', '\u{1f600}', '\u202e'] as const
  let broken = 0
  for (let round = 0; round < 2_000; round += 1) {
    const text = Array.from({ length: draw.below(60) }, () => draw.pick(signs)).join('')
    const parts = breakableParts(text)
    expect(parts).toEqual(naiveParts(text))
    if (parts.length > 1) broken += 1
  }
  expect(broken).toBeGreaterThan(200)
})

import { expect, it, test, describe } from 'vitest'
import {
  characterCount,
  withAsciiDigits,
  withLineFeeds,
  withoutFormatCharacters,
  cutText,
  compareBytes,
  deliveryAddress,
  emailKey,
  isEmailAddress,
  readEmailAddress,
} from './typed-text.ts'
import { domainToUnicode } from 'node:url'
import { spellingsOf } from './email-spellings.ts'

test.each([
  ['\u202aada@example.com\u202c', 'ada@example.com'],
  ['\ufeff+1\u200b212\u00ad555\u20600100\u200f', '+12125550100'],
  ['\u061cä 😀\u{e0041}', 'ä 😀'],
  ['', ''],
])('%j has the visible characters %j', (text, visible) => {
  expect(withoutFormatCharacters(text)).toBe(visible)
})

test.each<[string, number]>([
  ['a\r\nb', 3],
  ['a\nb', 3],
  ['a\rb', 3],
  ['\r\n\r\n', 2],
  ['\r\r\n\n', 3],
  ['\n\r', 2],
  ['😀', 2],
  ['', 0],
])('%j has %i characters', (text, count) => {
  expect(characterCount(text)).toBe(count)
  expect(characterCount(withLineFeeds(text))).toBe(count)
})

it('knows the value of the digits of every script', () => {
  const systems = Intl.supportedValuesOf('numberingSystem')
  let scripts = 0
  for (const numberingSystem of systems) {
    const digits = Array.from({ length: 10 }, (_, digit) =>
      new Intl.NumberFormat('en', { numberingSystem, useGrouping: false }).format(digit),
    )
    if (!digits.every((digit) => /^\p{Nd}$/u.test(digit))) continue
    scripts += 1
    expect([numberingSystem, withAsciiDigits(digits.join(''))]).toEqual([numberingSystem, '0123456789'])
  }
  expect(scripts).toBeGreaterThan(60)
})

it('leaves nothing but ASCII digits, and everything else as it is', () => {
  const all = Array.from({ length: 0x110000 }, (_, codePoint) => String.fromCodePoint(codePoint))
  const digits = all.filter((character) => /\p{Nd}/u.test(character))
  expect(digits.length % 10).toBe(0)
  expect(withAsciiDigits(digits.join(''))).toBe('0123456789'.repeat(digits.length / 10))
  const others = 'Ⅷ ½ ² ① 十 x'
  expect(withAsciiDigits(others)).toBe(others)
})

test.each([
  ['abc', 5, 'abc'],
  ['abc', 2, 'ab'],
  ['abc', 0, ''],
  ['a\u{1f600}b', 3, 'a\u{1f600}'],
  ['a\u{1f600}b', 2, 'a'],
  ['\u{1f600}', 1, ''],
  // A lone surrogate is one unit, so it cannot be split, wherever it is in the text.
  ['\ud800bcd', 9, '\ud800bcd'],
  ['\ud800bcd', 3, '\ud800bc'],
  ['a\udc00', 1, 'a'],
])('%j cut to %i units is %j', (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut)
})

const texts = [
  '',
  '\u0000',
  'a',
  'a\u0000',
  'ab',
  'b',
  'é',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  'a\u{1f600}',
  'a\uffff',
]

test('text is ordered as the bytes of its UTF-8 are', () => {
  for (const left of texts) {
    for (const right of texts) {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right))
      expect(Math.sign(compareBytes(left, right)), JSON.stringify([left, right])).toBe(bytes)
    }
  }
})

describe('addresses as people give them', () => {
  test.each([
    ['Ada@Example.com', 'Ada@Example.com', 'Ada@Example.com'],
    [' ada@example.com\n', 'ada@example.com', 'ada@example.com'],
    ['\u202aada@example.com\u202c', 'ada@example.com', 'ada@example.com'],
    ['ada\u200b@exam\u00adple.com\ufeff', 'ada@example.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['Ada@BÜCHER.example', 'Ada@BÜCHER.example', 'Ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@faß.example', 'ada@faß.example', 'ada@xn--fa-hia.example'],
    ['ada@日本。例え', 'ada@日本。例え', 'ada@xn--wgv71a.xn--r8jz45g'],
    ['ada@ｅｘａｍｐｌｅ.com', 'ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
    // The parser of URLs would read these domains as others.
    ['ada@0x7f.1', 'ada@0x7f.1', 'ada@0x7f.1'],
  ])('%j is %s, sent to as %s', (text, address, delivered) => {
    expect(readEmailAddress(text)).toBe(address)
    expect(deliveryAddress(text)).toBe(delivered)
    expect(isEmailAddress(delivered)).toBe(true)
    expect(emailKey(text)).toBe(delivered.toLowerCase())
    expect(emailKey(delivered)).toBe(emailKey(text))
  })

  test.each([
    ...['', '@', 'ada', 'ada@', '@example.com', 'ada@a b.example', 'ada@a@b.example', '\u200b'],
    // An international local part needs providers that take it, which most do not.
    'jürgen@example.com',
    ...['ada@bü/x', 'ada@bü?x', 'ada@bü#x', 'ada@bü:8080', 'ada@bü\\x', 'ada@bü%2ex', 'ada@[bü]'],
    ...['ada@bü／x', 'ada@bü：80', 'ada@bü..example', 'ada@bü.', 'ada@.bü', 'ada@bü.1', 'ada@bü_x.example'],
    `ada@${'ü'.repeat(70)}.example`,
    `${'a'.repeat(250)}@ü.example`,
  ])('%j is no address', (text) => {
    expect(readEmailAddress(text)).toBeNull()
  })
})

test.each([
  'bücher.example',
  'faß.example',
  '日本.例え',
  'новости.рф',
  'ünter-ßtraße.a-ü.example',
  'αβγ.ελ',
  '💧.example',
  `${'ä'.repeat(20)}.example`,
  'הַיְהוּדִים.example',
])('%s has its own spelling and the one in ASCII', (domain) => {
  const ascii = emailKey(`ada@${domain}`)
  expect(isEmailAddress(ascii)).toBe(true)
  const own = domainToUnicode(ascii.slice('ada@'.length))
  expect(spellingsOf(ascii)).toEqual([ascii, `ada@${own}`])
})

test.each([
  ...['ada@example.com', 'ada@xn--', 'ada@xn--a', 'ada@xn--99999999999.example'],
  ...['ada@xn---', 'ada@xn--ab-.example', 'xn--bcher-kva@example.com', ''],
])('%j has one spelling', (address) => {
  expect(spellingsOf(address)).toEqual([address])
})

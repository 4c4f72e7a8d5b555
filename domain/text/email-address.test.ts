import { domainToUnicode } from 'node:url'
import { describe, expect, test } from 'vitest'
import { deliveryAddress, emailKey, isEmailAddress, readEmailAddress } from './email-address.ts'
import { spellingsOf } from './email-spellings.ts'

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

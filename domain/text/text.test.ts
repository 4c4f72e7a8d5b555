import { assert, expect, test } from 'vitest'
import { crc32 } from './crc32.ts'
import { fromBase64Url, randomBase62, toBase62, toBase64Url, utf8, utf8Length } from './encoding.ts'
import { isCalendarDate, parseInstant } from './instant.ts'
import { parsedOr } from './json.ts'
import { phoneToE164 } from './contact/phone-number.ts'
import { isSensitiveKey, withoutSensitiveKeys } from './sensitive-keys.ts'

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T12:00:00.5-05:30', '2026-01-31T17:30:00.500Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-01-01T00:00:00.0005Z', '2026-01-01T00:00:00.001Z'],
  ['2026-01-01T00:00:00.000000001Z', '2026-01-01T00:00:00.001Z'],
  ['2026-12-31T23:59:59.9999Z', '2027-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
])('%s is the instant %s', (text, instant) => {
  expect(parseInstant(text, 'up')).toBe(instant)
})

test.each([
  '',
  '2026-01-31',
  '2026-01-31T12:00:00',
  '2026-01-31 12:00:00Z',
  '2026-02-30T12:00:00Z',
  '2025-02-29T12:00:00Z',
  '2026-13-01T12:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T12:60:00Z',
  '2026-01-01T12:00:60Z',
  '2026-01-01T12:00:00+24:00',
  '2026-01-01T12:00:00+0200',
  '2026-01-01T12:00:00 UTC',
  '+02026-01-01T12:00:00Z',
  '9999-12-31T23:59:59-01:00',
  '0000-01-01T00:00:00+01:00',
  'yesterday',
  '1767225600',
])('%j is no instant with an explicit offset', (text) => {
  expect(parseInstant(text, 'down')).toBeNull()
})

test('calendar dates exist or not', () => {
  expect(['2024-02-29', '2000-02-29', '2026-12-31'].every(isCalendarDate)).toBe(true)
  expect(
    ['2026-02-29', '1900-02-29', '2026-04-31', '2026-1-1', '2026-00-10', '2026-01-01T00:00:00Z'].some(
      isCalendarDate,
    ),
  ).toBe(false)
})

test('base64url round trips and has one spelling', () => {
  for (let length = 0; length < 20; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 77 + length) % 256)
    expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes)
  }
  expect(['AB', 'A', 'AA==', 'A+A', 'A A', 'AAB'].map(fromBase64Url)).toEqual(Array(6).fill(null))
})

test('base 62 pads and draws from the whole alphabet', () => {
  expect(toBase62(0, 6)).toBe('000000')
  expect(toBase62(4294967295, 6)).toBe('4gfFC3')
  let next = 255
  const countingDown = (length: number) => Uint8Array.from({ length }, () => next--)
  expect(randomBase62(8, countingDown)).toBe('zyxwvuts')
  expect(next).toBe(239)
})

test('the length in UTF-8 is known without encoding', () => {
  for (const text of ['', 'plain', 'é', '日本', '🚗 and 🚗', 'a\ud800b', '\udc00', '\ud83d\ud83d\ude97'])
    expect(utf8Length(text)).toBe(utf8(text).length)
})

test('CRC-32 is the standard one', () => {
  expect(crc32(utf8('123456789')).toString(16)).toBe('cbf43926')
})

test('phone numbers are read in their country or in international form', () => {
  expect(phoneToE164('212-555-0123', 'US')).toBe('+12125550123')
  expect(phoneToE164('+44 20 7946 0958', 'US')).toBe('+442079460958')
  expect(phoneToE164('030 901820', 'DE')).toBe('+4930901820')
  expect(
    ['', '123', '555-0123', '+1 212 555 0123 ext. 5', 'call 212-555-0123', '9'.repeat(100)].map((text) =>
      phoneToE164(text, 'US'),
    ),
  ).toEqual(Array(6).fill(null))
})

test('sensitive names go, ordinary ones stay', () => {
  const sensitive = [
    '_x',
    '$x',
    'password',
    'userPassword',
    'API_KEY',
    'apiKey',
    'api-key',
    'apikey',
    'card_number',
    'cardNumber2',
    'Access Token',
    'token2',
    'CVV',
    'ssn',
    'internalNotes',
    'webhook.url',
    'clientSecret',
    'XMLToken',
  ]
  const ordinary = [
    'businessName',
    'secretary',
    'tokensBought',
    'keyApi',
    'card',
    'number',
    'passwords',
    'internally',
    'constructor',
    '',
  ]
  expect(sensitive.filter((name) => !isSensitiveKey(name))).toEqual([])
  expect(ordinary.filter(isSensitiveKey)).toEqual([])
})

test('sensitive keys are removed at any depth, in arrays too, and __proto__ stays harmless', () => {
  const payload = JSON.parse(
    '{"a":[{"token":1,"b":{"ssn":2,"c":[[{"_d":1,"e":null}]]}}],"constructor":{"secret":1}}',
  ) as object
  expect(withoutSensitiveKeys(payload)).toEqual({ a: [{ b: { c: [[{ e: null }]] } }], constructor: {} })
  expect(withoutSensitiveKeys({ values: ['token', null, 1] })).toEqual({ values: ['token', null, 1] })
})

test('a text that is no JSON has the fallback, and nothing else has', () => {
  expect(['{"a":[1]}', 'null', '""'].map((text) => parsedOr(text, undefined))).toEqual([{ a: [1] }, null, ''])
  expect(['', '{', 'undefined', "{'a':1}", '\ufeff{}'].map((text) => parsedOr(text, 'none'))).toEqual(
    Array(5).fill('none'),
  )
  const broken = { toString: () => assert.fail('ours') } as unknown as string
  expect(() => parsedOr(broken, null)).toThrow('ours')
})

import { assert, expect, test } from 'vitest'
import { seededRandom } from '../../test/support/runner/fakes.ts'
import { crc32 } from '../access/keys.ts'
import { fromBase64Url, randomBase62, toBase62, toBase64Url, utf8, utf8Length, parsedOr } from './encoding.ts'
import { isCalendarDate, parseInstant } from './instant.ts'
import { phoneToE164 } from './phone-number.ts'
import { isSensitiveKey, withoutSensitiveKeys } from './sensitive-keys.ts'

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T12:00:00.5-05:30', '2026-01-31T17:30:00.500Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-01-01T00:00:00.0005Z', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T00:00:00.123456+00:00', '2026-01-01T00:00:00.123Z'],
  ['2026-01-01T00:00:00,123456789-00:00', '2026-01-01T00:00:00.123Z'],
  ['2026-12-31T23:59:59.9999Z', '2026-12-31T23:59:59.999Z'],
  [`2026-12-31T23:59:59.${'9'.repeat(1_000)}Z`, '2026-12-31T23:59:59.999Z'],
  ['1969-12-31T23:59:59.9995Z', '1969-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0000-01-01T00:00:00-23:59', '0000-01-01T23:59:00.000Z'],
  ['9999-12-31T23:59:59.9999+00:00', '9999-12-31T23:59:59.999Z'],
])('%s is the instant %s', (text, instant) => {
  expect(parseInstant(text)).toBe(instant)
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
  '2016-12-31T23:59:60Z',
  '2026-01-01T23:59:59.Z',
  '2026-01-01T12:00.5Z',
  '2026-01-01T12Z',
  '-0001-01-01T12:00:00Z',
  '2026-01-01T12:00:00+02',
  '2026-01-01T12:00:00−02:00',
  '2026-01-01T12:00:00Z\n',
  '٢٠٢٦-01-01T12:00:00Z',
  '2026-01-01T12:00:00+24:00',
  '2026-01-01T12:00:00+0200',
  '2026-01-01T12:00:00 UTC',
  '+02026-01-01T12:00:00Z',
  '9999-12-31T23:59:59-01:00',
  '0000-01-01T00:00:00+01:00',
  'yesterday',
  '1767225600',
])('%j is no instant with an explicit offset', (text) => {
  expect(parseInstant(text)).toBeNull()
})

test('an instant is what another reader takes it for, cut to the millisecond', () => {
  const random = seededRandom(9)
  const below = (bound: number) => Math.floor(random() * bound)
  const pad = (value: number, digits = 2) => String(value).padStart(digits, '0')
  let read = 0
  for (let count = 0; count < 20_000; count += 1) {
    const date = `${pad(random() < 0.2 ? below(10_000) : 1960 + below(80), 4)}-${pad(below(14))}-${pad(below(33))}`
    const time = `${pad(below(24))}:${pad(below(60))}:${pad(below(60))}`
    const fraction = ['', `.${pad(below(1_000_000), 6)}`, `,${'9'.repeat(1 + below(9))}`][below(3)] ?? ''
    const offset = ['Z', 'z', `+${pad(below(24))}:${pad(below(60))}`, `-${pad(below(24))}:${pad(below(60))}`][
      below(4)
    ]
    const text = `${date}${random() < 0.9 ? 'T' : 't'}${time}${fraction}${offset}`
    const instant = instantByTemporal(text)
    expect(parseInstant(text), text).toBe(instant)
    if (instant !== null) read += 1
  }
  // Some months and days do not exist.
  expect(read).toBeGreaterThan(10_000)
})

/** The compiler does not know this part of the language yet. */
const { Instant } = Temporal as unknown as {
  readonly Instant: { from(text: string): { readonly epochMilliseconds: number } }
}

/** The instant as the runtime reads it; null outside the years that can be stored. */
function instantByTemporal(text: string): string | null {
  try {
    const instant = new Date(Instant.from(text).epochMilliseconds).toISOString()
    return instant.length === '2026-01-01T00:00:00.000Z'.length ? instant : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

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
    'APIkey',
    'API_kEY',
    'caRD-numBer',
    'user_passWord',
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

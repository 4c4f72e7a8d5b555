import * as v from 'valibot'
import { expect, test } from 'vitest'
import { KeySettings, Overlap } from './key-settings.ts'

const read = (settings: object) => v.safeParse(KeySettings, settings)

test('every setting is read, and what is left out stays out', () => {
  expect(read({}).output).toEqual({})
  const settings = { label: 'Nightly sync', scope: 'read', ratePerMinute: 600 }
  expect(read({ ...settings, expiresAt: '2030-01-31T18:00:00+02:00' })).toMatchObject({
    success: true,
    output: { ...settings, expiresAt: '2030-01-31T16:00:00.000Z' },
  })
  expect(read({ expiresAt: '2030-01-31' }).output).toEqual({ expiresAt: '2030-01-31T00:00:00.000Z' })
})

const LABEL = 'must be 1 to 100 characters, on one line and without control characters'
const EXPIRES_AT =
  /^must be an ISO 8601 instant with an explicit offset, such as 2030-01-31T18:00:00Z, or a day/
const RATE = 'must be a whole number of requests a minute from 1 to 10000'

test.each([
  ['label', '', LABEL],
  ['label', '  ', LABEL],
  ['label', 'x'.repeat(101), LABEL],
  ['label', 'a\nb', LABEL],
  ['label', 'a\u2028b', LABEL],
  ['label', 7, LABEL],
  ['scope', 'write', 'must be one of read, send, all'],
  ['scope', 'READ', 'must be one of read, send, all'],
  ['scope', '', 'must be one of read, send, all'],
  ['scope', null, 'must be one of read, send, all'],
  ['expiresAt', '2030-01-31T18:00:00', EXPIRES_AT],
  ['expiresAt', '2030-02-30', EXPIRES_AT],
  ['expiresAt', 'tomorrow', EXPIRES_AT],
  ['expiresAt', '', EXPIRES_AT],
  ['expiresAt', 1_900_000_000, EXPIRES_AT],
  ['ratePerMinute', 0, RATE],
  ['ratePerMinute', -1, RATE],
  ['ratePerMinute', 1.5, RATE],
  ['ratePerMinute', 10_001, RATE],
  ['ratePerMinute', Number.NaN, RATE],
  ['ratePerMinute', '60', RATE],
])('%s %j is refused, with the rest of the sentence', (setting, value, message) => {
  const reading = read({ [setting]: value })
  expect(reading.issues?.map(({ path }) => path?.[0].key)[0]).toBe(setting)
  expect(reading.issues?.[0].message).toMatch(message)
})

test('what is no setting is refused', () => {
  expect(read({ rate: 60 }).success).toBe(false)
})

test.each([
  ['0d', 0],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['7d', 604_800_000],
  ['365d', 31_536_000_000],
])('an overlap of %s', (text, ms) => {
  expect(v.parse(Overlap, text)).toBe(ms)
})

test.each(['', '7', 'd', '7 d', '-1d', '1.5h', '7D', '1w', '366d', '9000h', '999999d', '7d7d'])(
  'an overlap of %j is refused',
  (text) => {
    expect(v.safeParse(Overlap, text).issues?.[0].message).toMatch(
      /^must be a number of minutes, hours or days/,
    )
  },
)

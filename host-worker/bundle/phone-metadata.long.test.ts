import {
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
  type CountryCode,
  type MetadataJson,
} from 'libphonenumber-js/core'
import full from 'libphonenumber-js/max/metadata'
import examples from 'libphonenumber-js/mobile/examples'
import { expect, it } from 'vitest'
import { createDraw } from '../../test/support/data/draw.ts'
import { phoneRules } from './bundle-worker.mjs'
import { thorough } from '../../test/support/runner/thorough.ts'

const inWorker = JSON.parse(phoneRules()) as MetadataJson
const countries = Object.keys(full.countries) as CountryCode[]
const draw = createDraw(1)

/** How many numbers near a real one are drawn for each country. */
const NEAR = thorough(8, 3)

/** Numbers as people in a country write them: near a real number or of any length, with and without prefixes. */
function numbersOf(country: CountryCode): readonly string[] {
  const callingCode = getCountryCallingCode(country, full)
  const example = getExampleNumber(country, examples, full)?.nationalNumber ?? '2125550123'
  const near = Array.from({ length: NEAR }, () => example.slice(0, -draw.below(example.length)) + digits(4))
  const sameLength = near.map((number) => number.padEnd(example.length, '7').slice(0, example.length))
  const nationals = [example, ...sameLength, ...near, ...[5, 7, 8, 9, 10, 11, 14].map(digits)]
  return nationals.flatMap((national) => [
    national,
    `0${national}`,
    `+${callingCode}${national}`,
    `00${callingCode} ${national.slice(0, 3)}-${national.slice(3)}`,
  ])
}

function digits(count: number): string {
  return Array.from({ length: count }, () => draw.below(10)).join('')
}

/** Everything that the service asks the library about a number. */
function readingOf(text: string, defaultCountry: CountryCode, metadata: MetadataJson) {
  const number = parsePhoneNumberFromString(text, { defaultCountry, extract: false }, metadata)
  return number?.isValid() === true ? `${number.number} ${number.ext ?? ''}` : null
}

it('reads every number as the full metadata does', () => {
  const read = countries.flatMap((country) =>
    numbersOf(country).map((text) => [text, country, readingOf(text, country, full)] as const),
  )
  const different = read.filter(([text, country, reading]) => readingOf(text, country, inWorker) !== reading)
  expect(different).toEqual([])
  // If the sample were all valid or all invalid, it would prove little.
  const valid = read.filter(([, , reading]) => reading !== null).length
  expect(valid).toBeGreaterThan(read.length / 5)
  expect(read.length - valid).toBeGreaterThan(read.length / 5)
})

it('knows the same countries, and is smaller', () => {
  expect(Object.keys(inWorker.countries)).toEqual(Object.keys(full.countries))
  expect(phoneRules().length).toBeLessThan(0.75 * JSON.stringify(full).length)
})

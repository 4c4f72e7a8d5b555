import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { readableMinute } from '../../text/instant.ts'
import { keysOf } from '../../text/encoding.ts'
import { languages } from './definition.ts'
import { sayer, sayerOf, sentencesOf, written } from './words.ts'
import { sentences as english } from './words/en.ts'

const braced = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

describe.each(languages)('in %s', (language) => {
  it('every sentence names the same values, and is not blank', async () => {
    const sentences = await sentencesOf(language)
    expect(Object.keys(sentences).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const key of keysOf(english)) {
      expect([key, braced(sentences[key])]).toEqual([key, braced(english[key])])
      expect([key, sentences[key].trim()]).toEqual([key, sentences[key]])
      expect(sentences[key]).not.toBe('')
    }
  })

  it('few sentences are the English ones', async () => {
    const sentences = await sentencesOf(language)
    const same = keysOf(english).filter((key) => sentences[key] === english[key])
    expect(same.length).toBeLessThan(language === 'en' ? Infinity : 4)
  })
})

test.each([
  ['en', 'Enter a number of at least 1.5.', 'Enter a date on or after 2026-01-31.'],
  ['de', 'Geben Sie eine Zahl ab 1,5 ein.', 'Geben Sie ein Datum ab dem 31.01.2026 ein.'],
  ['es', 'Escriba un número a partir de 1,5.', 'Escriba una fecha a partir del 31/01/2026.'],
  ['fr', 'Saisissez un nombre à partir de 1,5.', 'Saisissez une date à partir du 31/01/2026.'],
] as const)('bounds are written as in %s', async (language, number, date) => {
  const say = await sayerOf({ language })
  expect([say(['numberAtLeast', { min: 1.5 }]), say(['dateFrom', { min: '2026-01-31' }])]).toEqual([
    number,
    date,
  ])
})

test.each([
  ['en', '2026-01-31 09:05 UTC'],
  ['de', '31.01.2026 09:05 UTC'],
  ['es', '31/01/2026 09:05 UTC'],
  ['fr', '31/01/2026 09:05 UTC'],
] as const)('a minute is written as in %s, in UTC', (language, minute) => {
  expect(written(readableMinute('2026-01-31T09:05:59.000Z'), language)).toBe(minute)
  expect(written('2026-01-31 in May', language)).toBe('2026-01-31 in May')
})

describe('a sentence of a form', () => {
  const say = sayer(
    {
      language: 'de',
      texts: { required: ' ', send: '{max} $1 $& {constructor}', numberAtMost: 'Bis {max}, {min}!' },
    },
    english,
  )

  it('takes the place of that of the service, and names its values alone', () => {
    expect(say(['send'])).toBe('{max} $1 $& {constructor}')
    expect(say(['numberAtMost', { max: -2.25 }])).toBe('Bis -2,25, {min}!')
    expect(say(['required'])).toBe('This field is required.')
  })

  it('repeats a value as it is, whatever is in it', () => {
    expect(say(['backTo', { host: '{host} $&' }])).toBe('Back to {host} $&')
  })
})

it('the manual lists every sentence', () => {
  const manual = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  const listed = [...manual.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, key, text]) => [key, text])
  for (const key of keysOf(english)) expect(listed).toContainEqual([key, english[key]])
})

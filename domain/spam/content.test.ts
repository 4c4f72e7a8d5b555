import { describe, expect, test } from 'vitest'
import { known, textsOf, unseen } from '../../test/support/data/spam-corpus.ts'
import type { FormDefinition } from '../../ports/records.ts'
import { contentReasons } from './content.ts'

const form: FormDefinition = {
  formId: 'contact',
  name: 'Contact',
  isPublished: true,
  notificationEmails: [],
  fields: [{ id: 'message', type: 'long_text', label: 'Message' }],
}

const reasonsOf = (text: string, definition = form) => contentReasons([{ text, isName: false }], definition)
const taken = (templates: readonly string[]) => {
  const texts = textsOf(templates, 1_000, 46)
  expect(texts.length).toBe(1_000)
  return texts.filter((text) => reasonsOf(text).length > 0)
}

describe.each([
  ['that the rules were written with', known],
  ['that no rule has seen', unseen],
])('of the texts %s', (_name, { ordinary, spam }) => {
  test('at most 5 of 1,000 ordinary answers are taken for spam', () => {
    expect(taken(ordinary).length).toBeLessThanOrEqual(5)
  })

  test('at least 700 of 1,000 spam texts are found', () => {
    expect(taken(spam).length).toBeGreaterThanOrEqual(700)
  })
})

test('what the form itself speaks of belongs there', () => {
  const text = 'I would like to ask for a personal loan, your website says that working capital takes a week.'
  expect(reasonsOf(text)).toEqual(['words'])
  const fields = [
    { id: 'message', type: 'long_text', label: 'Which personal loan or working capital do you need?' },
  ]
  expect(reasonsOf(text, { ...form, fields })).toEqual([])
})

test.each([
  ['links as HTML', '<a target="x" href="https://x.example">x</a>', ['markup']],
  ['links as the code of forums', '[URL=https://x.example]x[/URL]', ['markup']],
  ['invisible characters between the letters', 'Buy v\u00adi\u200bagra now', ['words']],
  [
    'many links and nothing else',
    'https://a.example/1 https://a.example/2 https://a.example/3 https://a.example/4',
    [],
  ],
  ['a word within another', 'The specialist cialisten', []],
])('%s', (_name, text, reasons) => {
  expect(reasonsOf(text)).toEqual(reasons)
})

test.each(['<a ', 'a-', '[url ', 'www.', 'seo ', 'x'])('a text of many %j takes no time', (part) => {
  const before = performance.now()
  reasonsOf(part.repeat(60_000 / part.length))
  expect(performance.now() - before).toBeLessThan(2_000)
})

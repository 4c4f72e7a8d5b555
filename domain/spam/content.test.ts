import { describe, expect, test } from 'vitest'
import { known, textsOf, unseen } from '../../test/support/data/spam-corpus.ts'
import type { FormDefinition } from '../../ports/records.ts'
import { contentReasons, taught, weightsOf, wordsOf, type Lesson, type SpamModel } from './content.ts'
import { LEARNED_BOUND } from './judge.ts'

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

const lesson = (text: string, isSpam: boolean, before: boolean | null = null): Lesson => ({
  words: wordsOf({ text }),
  before,
  isSpam,
})

const isSpam = (model: SpamModel, text: string) => {
  const weights = weightsOf(model)
  return wordsOf({ text }).reduce((sum, word) => sum + (weights[word] ?? 0), 0) > LEARNED_BOUND
}

const marked = (templates: readonly string[], spam: boolean, count: number) =>
  textsOf(templates, count, 7).map((text) => lesson(text, spam))

test('what is like what was marked is found, and of 1,000 ordinary answers at most 5 are', () => {
  // A marketing offer in which no rule finds a word.
  const offers = [
    'Our {team|crew} does drone photography of {roofs|hotels}, book a flight from 90 euros this week.',
  ]
  const model = taught(null, [...marked(offers, true, 20), ...marked(known.ordinary, false, 60)])
  const like = 'The crew does drone photography of factories, book a flight from 120 euros.'
  expect([isSpam(model, like), isSpam(taught(null, []), like)]).toEqual([true, false])
  for (const ordinary of [known.ordinary, unseen.ordinary])
    expect(textsOf(ordinary, 1_000, 46).filter((text) => isSpam(model, text)).length).toBeLessThanOrEqual(5)
})

test('nothing is learned of a few', () => {
  const few = [...marked(known.spam, true, 4), ...marked(known.ordinary, false, 50)]
  expect(weightsOf(taught(null, few))).toEqual([])
  expect(weightsOf(taught(null, marked(known.spam, true, 50)))).toEqual([])
})

test('a word that was met once says nothing, one that was met twice on one side speaks for it', () => {
  const begun = [...marked(known.spam, true, 9), ...marked(known.ordinary, false, 9)]
  const weightOf = (lessons: readonly Lesson[], word: string) => {
    const [number = -1] = wordsOf({ word })
    return weightsOf(taught(null, [...begun, ...lessons]))[number]
  }
  expect(weightOf([], 'quasiparticle')).toBe(0)
  expect(weightOf([lesson('quasiparticle', true)], 'quasiparticle')).toBe(0)
  const twice = (isOfSpam: boolean) => [
    lesson('quasiparticle', isOfSpam),
    lesson('quasiparticle again', isOfSpam),
  ]
  // Three in thirteen against one in eleven: 1,000 ln(3 / 13 / (1 / 11)).
  expect(weightOf(twice(true), 'quasiparticle')).toBe(932)
  expect(weightOf(twice(false), 'quasiparticle')).toBe(-932)
})

test('what is taken back was never learned, and what is said twice counts once', () => {
  const begun = taught(null, [...marked(known.spam, true, 9), ...marked(known.ordinary, false, 9)])
  const once = taught(begun, [lesson('a text of words', true)])
  expect(taught(once, [lesson('a text of words', true, true)])).toEqual(once)
  const turned = taught(once, [lesson('a text of words', false, true)])
  expect(turned).toEqual(taught(begun, [lesson('a text of words', false)]))
  expect(taught(turned, [lesson('a text of words', true, false)])).toEqual(once)
})

test('it never grows, whatever is marked', () => {
  const random = Array.from(
    { length: 400 },
    (_, index) => `w${index * 7919} q${index * 104_729} ${'x'.repeat(index % 50)}`,
  )
  const model = taught(
    null,
    random.map((text, index) => lesson(text, index % 2 === 0)),
  )
  expect([model.inSpam.length, model.inClean.length, weightsOf(model).length]).toEqual([4_096, 4_096, 4_096])
  expect(wordsOf({ text: random.join(' ') }).length).toBeLessThanOrEqual(300)
  expect(JSON.stringify(model).length).toBeLessThan(40_000)
})

test('words are those of texts, in whatever way they are written', () => {
  expect(wordsOf({ a: 'Grüße, WELT', b: 5, c: ['x'], d: null, e: true })).toEqual(
    wordsOf({ x: 'welt gru\u0308\u00adße' }),
  )
  expect(wordsOf({})).toEqual([])
})

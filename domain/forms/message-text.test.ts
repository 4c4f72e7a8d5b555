import { describe, expect, test } from 'vitest'
import { createDraw } from '../../test/support/data/draw.ts'
import { sayerOf } from './language/words.ts'
import { answerProblems, answersMax, filledIn, hasAnswers, messageAnswers } from './message-text.ts'
import { thorough } from '../../test/support/runner/thorough.ts'

const fields = [
  { id: 'firstName', type: 'short_text', label: 'First name' },
  { id: 'phone', type: 'phone', label: 'Phone' },
  {
    id: 'services',
    type: 'multiple_choice',
    label: 'Services',
    options: [
      { value: 'wash', label: 'Wash & dry' },
      { value: 'wax', label: 'Wax' },
    ],
  },
  { id: 'terms', type: 'consent', label: 'Terms' },
  { id: 'apiToken', type: 'short_text', label: 'Token' },
  { id: 'head', type: 'heading', label: 'Head' },
]

const english = await sayerOf({})

describe('answers in words', () => {
  const answers = {
    firstName: 'Ada',
    phone: '7612345678',
    services: ['wash', 'wax'],
    terms: true,
    apiToken: 's3',
  }
  const typed = { phone: '+49 761 2345678' }

  test('labels, lists, what was typed, and nothing of a field that reads as a secret', async () => {
    const found = messageAnswers(fields, answers, typed, english)
    expect(Object.fromEntries(found)).toEqual({
      firstName: 'Ada',
      phone: '+49 761 2345678',
      services: 'Wash & dry, Wax',
      terms: 'Yes',
    })
    expect(filledIn('{{apiToken}}{{head}}{{nobody}}.', 'body', found)).toBe('.')
    const german = messageAnswers(fields, { terms: false }, null, await sayerOf({ language: 'de' }))
    expect(filledIn('{{terms}}/{{ firstName }}', 'body', german)).toBe('Nein/')
  })

  test('whatever is stored as a form has no answers, or some, and breaks nothing', () => {
    for (const stored of [undefined, null, 'x', {}, [null, 5, { id: 'a' }, { id: '', type: 'short_text' }]])
      expect(messageAnswers(stored, { a: 1 }, null, english).size).toBe(0)
    const odd = [{ id: 'constructor', type: 'number', label: '' }]
    expect(filledIn('{{constructor}}', 'body', messageAnswers(odd, {}, null, english))).toBe('')
    expect(filledIn('{{constructor}}', 'body', messageAnswers(odd, { constructor: 0 }, null, english))).toBe(
      '0',
    )
  })
})

const filled = (text: string, part: 'subject' | 'html' | 'body', answers: Readonly<Record<string, string>>) =>
  filledIn(text, part, new Map(Object.entries(answers)))

describe('each part has its own writing', () => {
  const given = { a: `<b onclick="x">&'\r\nnext\u0000\u2028end` }

  test('html is escaped, with breaks', () => {
    expect(filled('<p>{{a}}</p>', 'html', given)).toBe(
      '<p>&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;<br>next\u2028end</p>',
    )
  })

  test('a control character never gets into a subject', () => {
    expect(filled('S {{a}}', 'subject', given)).toBe(`S <b onclick="x">&' next end`)
    expect(filled('{{a}}', 'subject', { a: 'x\r\nBcc: eve@example.com\u0085\u007f' })).toBe(
      'x Bcc: eve@example.com ',
    )
  })

  test('a text message keeps lines', () => {
    expect(filled('{{a}}', 'body', { a: '1\r\n2\r3\u0007\t4' })).toBe('1\n2\n3\t4')
  })

  test('a lone surrogate goes to nobody', () => {
    for (const part of ['subject', 'html', 'body'] as const)
      expect(filled('{{a}}', part, { a: 'x\ud83d' })).toBe('x\ufffd')
  })

  test('an answer that reads as a place is none', () => {
    expect(filled('{{a}}', 'body', { a: '{{b}}', b: 'secret' })).toBe('{{b}}')
    expect(filled('{{a}}', 'body', { a: '$&$1' })).toBe('$&$1')
  })
})

describe('names', () => {
  test.each([
    ['{{a}}{{ a }}{{\na}}', { a: '1' }, '111'],
    ['{{A}}|{{a b}}', { a: '1', 'a b': '2' }, '|2'],
    ['{{ a}}|{{a}}|{{  a}}', { a: '1', ' a': '2' }, '2|1|1'],
    ['{{{a}}}', { a: '1' }, '{1}'],
    ['{{{a}}}', { a: '1', '{a': '2', '{a}': '3' }, '3'],
    ['{{x}}}}|{{ x}} }}', { x: '1', 'x}}': '2' }, '2|2'],
    ['{{a.*}}{{(}}{{$&}}{{]|[}}', { 'a.*': '1', '(': '2', '$&': '3', ']|[': '4' }, '1234'],
    ['{{a', { a: '1' }, '{{a'],
    ['a}} {{ }} {{}}', { a: '1' }, 'a}}  '],
    ['{a} { {a} }', { a: '1' }, '{a} { {a} }'],
    ['{{__proto__}}{{toString}}', { a: '1' }, ''],
  ])('%j', (text, answers, expected) => {
    expect(filled(text, 'body', answers)).toBe(expected)
  })

  test('a text without places stays as it is', () => {
    const text = 'A\u0000\ud83d {a} }}'
    expect([filled(text, 'html', { a: '1' }), hasAnswers(text), hasAnswers('{{x}}')]).toEqual([
      text,
      false,
      true,
    ])
  })
})

describe('lengths', () => {
  test('answers are cut, and the words around them are not', () => {
    const long = 'x'.repeat(10_000)
    for (const [part, { answers }] of Object.entries(answersMax)) {
      const result = filled('Begin {{a}} {{b}} {{b}} end', part as 'body', { a: long, b: long.repeat(2) })
      expect(result.startsWith('Begin x')).toBe(true)
      expect(result.endsWith('end')).toBe(true)
      expect(result.length).toBe('Begin    end'.length + answers)
    }
    const fixed = 'y'.repeat(1_595)
    expect(filled(`${fixed}{{a}}`, 'body', { a: 'abcdefgh' })).toBe(`${fixed}abcd…`)
    expect(filled(`${fixed}yyyyyyyy{{a}}`, 'body', { a: 'abc' })).toBe(`${fixed}yyyyyyyy`)
    expect(filled('{{a}}', 'subject', { a: `${'z'.repeat(118)}\u{1f600}\u{1f600}` })).toBe(
      `${'z'.repeat(118)}…`,
    )
  })

  test('hostile texts take no time', () => {
    const answers = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`{${index}`, 'x']))
    for (const text of [
      '{{'.repeat(100_000),
      '{'.repeat(200_000),
      '<a '.repeat(60_000),
      '{{a'.repeat(60_000),
      '<a b="'.repeat(30_000),
    ])
      expect(filled(`${text}{{a}}`, 'html', answers).length).toBeGreaterThan(0)
  })
})

describe('places in HTML', () => {
  test.each([
    ['<p>{{a}}', true],
    ['a < b {{a}}', true],
    ['<a title="{{a}}">', true],
    ["<a title = '{{a}}' b=c>{{a}}", true],
    ['<br/>{{a}}<img alt="x > y" title="{{a}}"/>', true],
    ['<a title={{a}}>', false],
    ['<{{a}}>', false],
    ['<p {{a}}>', false],
    ['<p {{a}}="x">', false],
    ['<a x=y="{{a}}">', false],
    ['<a b"{{a}}">', false],
    ['<a onclick="{{a}}">', false],
    ['<a STYLE="{{a}}">', false],
    ['<iframe srcdoc="{{a}}">', false],
    ['<!-- {{a}} -->', false],
    ['<!-- > -->{{a}}', true],
    ['<style>p{}{{a}}</style>', false],
    ['<style>p{}</styles>{{a}}</STYLE >', false],
    ['<style>p{}</style>{{a}}', true],
    ['<script>"</p>"{{a}}', false],
    ['<script src="x"></script><p>{{a}}', true],
    ['<!doctype html>{{a}}', true],
    ['<!doctype {{a}}>', false],
    ['<a title="{{a}}', false],
  ])('%s', (text, isSafe) => {
    const answer = 'x"\'> onload=1 <'
    const shown = filledIn(text, 'html', new Map([['a', answer]]))
    expect(shown.includes('onload=1')).toBe(isSafe)
    expect(shown).not.toContain(answer)
    expect(answerProblems(text, 'html', [{ id: 'a', type: 'short_text', label: 'A' }])).toEqual(
      isSafe ? [] : [expect.stringContaining('has {{a}} inside a tag')],
    )
  })

  test('in a value a line break is a space', () => {
    expect(filled('<a title="{{a}}">', 'html', { a: '1\n2' })).toBe('<a title="1 2">')
  })
})

test('what a form does not have is named, with what is near', () => {
  expect(answerProblems('{{firstname}} {{ firstName }} {{firstname}}', 'body', fields)).toEqual([
    'has {{firstname}}, and the form has no field of that id. Did you mean {{firstName}}?',
  ])
  expect(answerProblems('{{apiToken}}', 'subject', fields)).toEqual([
    'has {{apiToken}}, whose answers are in no message, because the id reads as a secret.',
  ])
  expect(answerProblems('{{head}}{{ }}', 'subject', fields)).toEqual([
    'has {{head}}, and Field "head" takes no answer.',
    'has {{}}, and the form has no field of that id.',
  ])
})

/** The same by the rules alone: reads from left to right, one character after the other, and tries every id. */
function naively(
  text: string,
  part: 'subject' | 'html' | 'body',
  answers: Readonly<Record<string, string>>,
): string {
  const ids = Object.keys(answers)
  const spaces = (at: number) => (/^\s*/.exec(text.slice(at))?.[0] ?? '').length
  const placeAt = (at: number): { readonly id: string; readonly end: number } | null => {
    if (!text.startsWith('{{', at)) return null
    const exact = ids.filter((id) => text.startsWith(`${id}}}`, at + 2))
    const spaced = ids.flatMap((id) => {
      const from = at + 2 + spaces(at + 2)
      if (!text.startsWith(id, from)) return []
      const to = from + id.length + spaces(from + id.length)
      return text.startsWith('}}', to) ? [{ id, end: to + 2 }] : []
    })
    const all = [...exact.map((id) => ({ id, end: at + 2 + id.length + 2 })), ...spaced]
    const braced = all
      .filter(({ id }) => /[{}]/.test(id))
      .sort((one, other) => other.id.length - one.id.length)
    if (braced[0] !== undefined) return braced[0]
    if (all[0] !== undefined) return all[0]
    const close = text.indexOf('}}', at)
    const between = text.slice(at + 2, close)
    return close === -1 || /[{}]/.test(between) ? null : { id: '', end: close + 2 }
  }
  const written: string[] = []
  for (let at = 0; at < text.length;) {
    const place = placeAt(at)
    if (place === null) {
      written.push(text.charAt(at))
      at += 1
      continue
    }
    const answer = answers[place.id] ?? ''
    let wasBreak = false
    const letters = Array.from(answer.replaceAll('\r\n', '\n').replaceAll('\r', '\n')).map((letter) => {
      const isControl = /\p{Cc}/u.test(letter)
      const isBreak = isControl || /[\u2028\u2029]/.test(letter)
      const isAfterBreak = part === 'subject' && wasBreak
      wasBreak = isBreak
      if (part === 'subject') return isBreak ? (isAfterBreak ? '' : ' ') : letter
      if (isControl && letter !== '\n' && letter !== '\t') return ''
      if (part === 'body') return letter
      const named: Readonly<Record<string, string>> = {
        '<': '&lt;',
        '>': '&gt;',
        '&': '&amp;',
        '"': '&quot;',
        "'": '&#39;',
        '\n': '<br>',
      }
      return named[letter] ?? letter
    })
    written.push(letters.join(''))
    at = place.end
  }
  return written.join('')
}

test('generated texts and answers are filled in as by hand', () => {
  const draw = createDraw(45)
  const names = ['a', 'b', ' a', 'a b', '{', '}', 'a}}', '{{a', 'é\u0301', '__proto_', '$1', 'a\nb'] as const
  const bits = ['{{', '}}', '{', '}', ' ', 'x', '&', '\n', 'é', 'unknown', ...names] as const
  const letters = [
    'x',
    '<',
    '>',
    '"',
    "'",
    '&',
    '{{a}}',
    'ß',
    '\u{1f600}',
    '\t',
    '\u202e',
    '\u0000x',
    'y\rz',
    '1\r\n2',
  ] as const
  for (let round = 0; round < thorough(20_000, 5_000); round += 1) {
    const ids = names.filter(() => draw.chance(40))
    const answers = Object.fromEntries(
      ids.map((id) => [id, Array.from({ length: draw.below(4) }, () => draw.pick(letters)).join('')]),
    )
    const text = Array.from({ length: draw.below(9) }, () =>
      draw.chance(50)
        ? draw.pick(bits)
        : `{{${draw.pick([' ', '', '\n'])}${draw.pick(names)}${draw.pick([' ', ''])}}}`,
    ).join('')
    const part = draw.pick(['subject', 'html', 'body'] as const)
    expect([text, answers, part, filled(text, part, answers)]).toEqual([
      text,
      answers,
      part,
      naively(text, part, answers),
    ])
  }
})

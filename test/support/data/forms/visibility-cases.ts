import { fieldOf, optionsOf, when } from './forms.ts'

/** Which fields are shown for which answers. The service and the browser's library are both held to these cases. */
export interface VisibilityCase {
  readonly name: string
  readonly fields: readonly unknown[]
  readonly answers: Readonly<Record<string, unknown>>
  /** The ids of the fields that are shown, in the order of the form. */
  readonly visible: readonly string[]
}

/** The case, the rule's operator and value, the answer that it is about, and whether the rule holds. */
type Row = readonly [name: string, operator: string, value: unknown, answer: unknown, holds: boolean]

/** One rule about one field, by the type of that field. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  short_text: [
    ['short text equals', 'equals', 'yes', 'yes', true],
    ['short text equals differs', 'equals', 'yes', 'no', false],
    ['text compares after trimming the answer', 'equals', 'yes', '  yes ', true],
    ['text compares after trimming the value', 'equals', ' yes ', 'yes', true],
    ['text: case matters', 'equals', 'yes', 'Yes', false],
    ['text: inner white space matters', 'equals', 'a b', 'a  b', false],
    ['equals does not hold for an unanswered text', 'equals', 'yes', undefined, false],
    ['not_equals holds for another text', 'not_equals', 'yes', 'no', true],
    ['not_equals does not hold for the same text', 'not_equals', 'yes', ' yes', false],
    ['not_equals holds for an unanswered text', 'not_equals', 'yes', undefined, true],
    ['not_equals holds for a blank text', 'not_equals', 'yes', '   ', true],
    ['contains a part', 'contains', 'ell', 'hello', true],
    ['contains the whole', 'contains', 'hello', 'hello', true],
    ['contains: case matters', 'contains', 'ELL', 'hello', false],
    ['contains trims its value', 'contains', ' ell ', 'hello', true],
    ['contains does not hold for null', 'contains', 'ell', null, false],
    ['not_contains holds without the part', 'not_contains', 'x', 'hello', true],
    ['not_contains does not hold with the part', 'not_contains', 'ell', 'hello', false],
    ['not_contains holds for an unanswered text', 'not_contains', 'ell', undefined, true],
    ['any_of holds for a listed text', 'any_of', ['a', 'b'], 'b', true],
    ['any_of trims both sides', 'any_of', ['a ', ' b'], ' b ', true],
    ['any_of does not hold for another text', 'any_of', ['a', 'b'], 'c', false],
    ['any_of does not hold for an unanswered text', 'any_of', ['a', 'b'], undefined, false],
    ['none_of holds for another text', 'none_of', ['a', 'b'], 'c', true],
    ['none_of does not hold for a listed text', 'none_of', ['a', 'b'], 'a', false],
    ['none_of holds for an unanswered text', 'none_of', ['a', 'b'], undefined, true],
    ['is_empty holds for no answer', 'is_empty', undefined, undefined, true],
    ['is_empty holds for null', 'is_empty', undefined, null, true],
    ['is_empty holds for white space', 'is_empty', undefined, ' \t\n', true],
    ['is_empty does not hold for text', 'is_empty', undefined, 'x', false],
    ['is_empty ignores a stray value', 'is_empty', 'x', 'x', false],
    ['is_not_empty holds for text', 'is_not_empty', undefined, '0', true],
    ['is_not_empty does not hold for white space', 'is_not_empty', undefined, '  ', false],
    ['is_not_empty ignores a stray value', 'is_not_empty', 'other', 'x', true],
    ['invisible characters stay in a text', 'equals', 'a', '\u200ba', false],
  ],
  long_text: [
    ['long text contains over lines', 'contains', 'second', 'first\nsecond', true],
    ['long text equals', 'equals', 'a\nb', 'a\nb\n', true],
    ['long text any_of', 'any_of', ['x', 'y'], 'y', true],
    ['a line break of a form equals one of a page', 'equals', 'a\nb', 'a\r\nb', true],
    ['a line break in a rule equals one of a page', 'any_of', ['a\r\nb'], 'a\nb', true],
    ['text contains a line break however it was sent', 'contains', 'a\nb', 'x a\rb', true],
  ],
  email: [
    ['email equals', 'equals', 'a@b.example', 'a@b.example', true],
    ['email: case matters', 'equals', 'a@b.example', 'A@b.example', false],
    ['email contains a domain', 'contains', '@b.example', 'a@b.example', true],
    ['email none_of', 'none_of', ['a@b.example'], 'c@d.example', true],
    [
      'invisible characters are no part of an address',
      'equals',
      'ada@example.com',
      '\u202aada@exam\u00adple.com\u202c',
      true,
    ],
    ['an address of invisible characters is empty', 'is_empty', undefined, '\u200b\ufeff', true],
    [
      'an international domain equals its form in ASCII',
      'equals',
      'ada@bücher.example',
      'ada@xn--bcher-kva.example',
      true,
    ],
    [
      'an address contains an international domain',
      'contains',
      '@xn--bcher-kva.example',
      'ada@Bücher.example',
      true,
    ],
  ],
  phone: [
    ['phone compares by its digits', 'equals', '(212) 555-0123', '212.555.0123', true],
    ['phone keeps the last ten digits', 'equals', '2125550123', '+1 212 555 0123', true],
    ['phone value keeps the last ten digits', 'equals', '+1 (212) 555-0123', '2125550123', true],
    ['phone differs', 'equals', '2125550123', '2125550124', false],
    ['phone not_equals', 'not_equals', '2125550123', '2125550124', true],
    ['phone contains digits', 'contains', '555-01', '(212) 555-0123', true],
    ['phone not_contains digits', 'not_contains', '999', '(212) 555-0123', true],
    ['phone any_of', 'any_of', ['555-0100', '212-555-0123'], '2125550123', true],
    ['phone none_of', 'none_of', ['555-0100', '212-555-0123'], '2125550123', false],
    ['phone without digits is empty', 'is_empty', undefined, 'n/a', true],
    ['phone with digits is not empty', 'is_not_empty', undefined, '(212) 555-0123', true],
    ['digits of any script are a phone number', 'equals', '2125550100', '\u202a٢١٢ ٥٥٥ ٠١٠٠\u202c', true],
  ],
  number: [
    ['number equals', 'equals', 2, 2, true],
    ['numeric text equals a number', 'equals', 2, '2', true],
    ['a number equals numeric text', 'equals', '2', 2, true],
    ['numbers compare as numbers, not as text', 'equals', '2', '2.0', true],
    ['exponents are numbers', 'equals', 100, '1e2', true],
    ['zero is a value', 'is_not_empty', undefined, 0, true],
    ['zero is not empty as text', 'is_empty', undefined, '0', false],
    ['zero equals zero', 'equals', 0, '0', true],
    ['zero is below one', 'less_than', 1, 0, true],
    ['number not_equals', 'not_equals', 2, 3, true],
    ['number not_equals, unanswered', 'not_equals', 2, undefined, true],
    ['number any_of mixed spellings', 'any_of', ['1', 2], '2', true],
    ['number none_of', 'none_of', [1, '2'], 2, false],
    ['number none_of, unanswered', 'none_of', [1, 2], '', true],
    ['number greater_than', 'greater_than', 9, 10, true],
    ['number greater_than compares as numbers', 'greater_than', '9', '10', true],
    ['number greater_than at the bound', 'greater_than', 10, 10, false],
    ['number greater_or_equal at the bound', 'greater_or_equal', 10, 10, true],
    ['number greater_or_equal below', 'greater_or_equal', 10, 9.5, false],
    ['number less_than at the bound', 'less_than', 10, 10, false],
    ['number less_or_equal at the bound', 'less_or_equal', 10, '10', true],
    ['number less_or_equal, unanswered', 'less_or_equal', 10, undefined, false],
    ['number greater_or_equal, unanswered', 'greater_or_equal', 0, undefined, false],
    ['negative numbers', 'less_than', -1, '-1.5', true],
    ['digits of any script are a number', 'equals', 12, '١٢', true],
    ['fullwidth digits are a number', 'less_than', 13, '１２', true],
    ['a decimal comma is one', 'greater_than', 1.4, '1,5', true],
    ['a decimal comma is not lost', 'less_than', 2, '1,5', true],
    ['an ambiguous comma is no number', 'is_empty', undefined, '1,500', true],
    ['a number with too many digits is none', 'is_empty', undefined, '9007199254740993', true],
    ['a number that JSON has is one', 'is_not_empty', undefined, 9007199254740992, true],
  ],
  date: [
    ['date equals', 'equals', '2026-02-28', '2026-02-28', true],
    ['date not_equals', 'not_equals', '2026-02-28', '2026-03-01', true],
    ['date any_of', 'any_of', ['2026-01-01', '2026-01-02'], '2026-01-02', true],
    ['date none_of', 'none_of', ['2026-01-01'], '2026-01-02', true],
    ['date greater_than', 'greater_than', '2026-09-30', '2026-10-01', true],
    ['date greater_than the same day', 'greater_than', '2026-09-30', '2026-09-30', false],
    ['date greater_or_equal the same day', 'greater_or_equal', '2026-09-30', '2026-09-30', true],
    ['date less_than', 'less_than', '2026-01-01', '2025-12-31', true],
    ['date less_than the same day', 'less_than', '2026-01-01', '2026-01-01', false],
    ['date less_or_equal the same day', 'less_or_equal', '2026-01-01', '2026-01-01', true],
    ['date less_than, unanswered', 'less_than', '2026-01-01', undefined, false],
    ['date is_empty', 'is_empty', undefined, '', true],
    ['date is_not_empty', 'is_not_empty', undefined, '2026-01-01', true],
    ['digits of any script are a date', 'greater_than', '2026-01-01', '٢٠٢٦-٠٥-٠٤', true],
  ],
  single_choice: [
    ['single choice equals', 'equals', 'a', 'a', true],
    ['single choice equals another', 'equals', 'a', 'b', false],
    ['single choice not_equals', 'not_equals', 'a', 'b', true],
    ['single choice not_equals, unanswered', 'not_equals', 'a', undefined, true],
    ['single choice any_of', 'any_of', ['a', 'c'], 'c', true],
    ['single choice any_of, unanswered', 'any_of', ['a', 'c'], null, false],
    ['single choice none_of', 'none_of', ['a', 'c'], 'b', true],
    ['single choice none_of, listed', 'none_of', ['a', 'c'], 'a', false],
    ['single choice is_empty', 'is_empty', undefined, '', true],
    ['single choice is_not_empty', 'is_not_empty', undefined, 'a', true],
  ],
  multiple_choice: [
    ['multiple choice equals as a set', 'equals', ['a', 'b'], ['b', 'a'], true],
    ['multiple choice equals needs all', 'equals', ['a', 'b'], ['a'], false],
    ['multiple choice equals needs no more', 'equals', ['a'], ['a', 'b'], false],
    ['multiple choice equals ignores repetition in the value', 'equals', ['a', 'a', 'b'], ['a', 'b'], true],
    ['multiple choice equals, unanswered', 'equals', ['a'], undefined, false],
    ['multiple choice not_equals', 'not_equals', ['a', 'b'], ['a'], true],
    ['multiple choice not_equals the same set', 'not_equals', ['a', 'b'], ['b', 'a'], false],
    ['multiple choice not_equals, unanswered', 'not_equals', ['a'], [], true],
    ['multiple choice contains one option', 'contains', 'a', ['b', 'a'], true],
    ['multiple choice contains not', 'contains', 'c', ['a', 'b'], false],
    ['multiple choice contains, unanswered', 'contains', 'a', undefined, false],
    ['multiple choice not_contains', 'not_contains', 'c', ['a', 'b'], true],
    ['multiple choice not_contains, chosen', 'not_contains', 'a', ['a', 'b'], false],
    ['multiple choice not_contains, unanswered', 'not_contains', 'a', null, true],
    ['multiple choice any_of shares one', 'any_of', ['a', 'c'], ['b', 'c'], true],
    ['multiple choice any_of shares none', 'any_of', ['a'], ['b', 'c'], false],
    ['multiple choice any_of, unanswered', 'any_of', ['a', 'b', 'c'], [], false],
    ['multiple choice none_of shares none', 'none_of', ['a'], ['b', 'c'], true],
    ['multiple choice none_of shares one', 'none_of', ['a', 'c'], ['b', 'c'], false],
    ['multiple choice none_of, unanswered', 'none_of', ['a'], undefined, true],
    ['multiple choice is_empty for an empty list', 'is_empty', undefined, [], true],
    ['multiple choice is_not_empty', 'is_not_empty', undefined, ['a'], true],
  ],
  boolean: [
    ['boolean equals true', 'equals', true, true, true],
    ['boolean equals true, answered false', 'equals', true, false, false],
    ['boolean equals false', 'equals', false, false, true],
    ['boolean unanswered counts as false', 'equals', false, undefined, true],
    ['boolean unanswered is not true', 'equals', true, undefined, false],
    ['boolean not_equals true, unanswered', 'not_equals', true, undefined, true],
    ['boolean not_equals false, unanswered', 'not_equals', false, undefined, false],
    ['boolean not_equals false, answered true', 'not_equals', false, true, true],
    ['boolean is_empty, unanswered', 'is_empty', undefined, undefined, true],
    ['boolean false is an answer', 'is_empty', undefined, false, false],
    ['boolean is_not_empty for false', 'is_not_empty', undefined, false, true],
  ],
  consent: [
    ['consent equals true', 'equals', true, true, true],
    ['consent unanswered counts as false', 'equals', false, null, true],
    ['consent not_equals true', 'not_equals', true, false, true],
    ['consent is_not_empty', 'is_not_empty', undefined, true, true],
  ],
}

const ofOneRule: readonly VisibilityCase[] = Object.entries(rows).flatMap(([type, cases]) =>
  cases.map(([name, operator, value, answer, holds]) => ({
    name,
    fields: [
      fieldOf('s', type, type.endsWith('_choice') ? { options: optionsOf('a', 'b', 'c') } : {}),
      text('t', when('s', operator, value)),
    ],
    answers: answer === undefined ? {} : { s: answer },
    visible: holds ? ['s', 't'] : ['s'],
  })),
)

function text(id: string, visibleWhen?: unknown): unknown {
  return fieldOf(id, 'short_text', visibleWhen === undefined ? {} : { visibleWhen })
}

/** A text that is shown when another field has a value. */
const textIf = (id: string, subject: string, value: unknown): unknown =>
  text(id, when(subject, 'equals', value))

const combined = (
  match: 'all' | 'any',
  ...rules: readonly (readonly [string, string, unknown])[]
): unknown => ({
  match,
  rules: rules.map(([field, operator, value]) => ({ field, operator, value })),
})
const both = combined('all', ['a', 'equals', '1'], ['b', 'equals', '1'])
const either = combined('any', ['a', 'equals', '1'], ['b', 'equals', '1'])
const [a, b] = [text('a'), textIf('b', 'a', '1')]
/** Each field depends on the one before it. */
const chain = [a, b, textIf('c', 'b', '1'), textIf('d', 'c', '1')]
/** A diamond: d depends on b and on c, and both on a. */
const diamond = (valueForC: string) => [
  text('d', combined('all', ['b', 'equals', '1'], ['c', 'equals', '1'])),
  b,
  textIf('c', 'a', valueForC),
  a,
]
const ones = { a: '1', b: '1', c: '1' }
const booleanB = fieldOf('b', 'boolean', { visibleWhen: when('a', 'equals', '1') })
const numberB = fieldOf('b', 'number', { visibleWhen: when('a', 'equals', '1') })
const inherited = [
  text('constructor'),
  text('toString', when('constructor', 'is_empty')),
  text('hasOwnProperty', when('toString', 'is_not_empty')),
]

/** Several rules, several fields, and what depends on the order of fields. */
const others: readonly (readonly [
  name: string,
  fields: readonly unknown[],
  answers: VisibilityCase['answers'],
  visible: string,
])[] = [
  ['a field without rules is shown', [a], {}, 'a'],
  ['all: every rule holds', [a, text('b'), text('c', both)], { a: '1', b: '1' }, 'a b c'],
  ['all: one rule fails', [a, text('b'), text('c', both)], { a: '1', b: '2' }, 'a b'],
  ['any: one rule holds', [a, text('b'), text('c', either)], { b: '1' }, 'a b c'],
  ['any: no rule holds', [a, text('b'), text('c', either)], { a: '2' }, 'a b'],
  [
    'any: two rules on one subject',
    [a, text('c', combined('any', ['a', 'equals', '1'], ['a', 'equals', '2']))],
    { a: '2' },
    'a c',
  ],
  [
    'all: two rules on one subject make a range',
    [fieldOf('a', 'number'), text('c', combined('all', ['a', 'greater_than', 1], ['a', 'less_than', 5]))],
    { a: 3 },
    'a c',
  ],
  ['a chain is followed to its end', chain, ones, 'a b c d'],
  ['a chain breaks where it is hidden', chain, { ...ones, a: '2' }, 'a'],
  ['a chain in reverse field order', chain.toReversed(), ones, 'd c b a'],
  ['a chain breaks in reverse field order', chain.toReversed(), { ...ones, a: '2' }, 'a'],
  [
    'a chain in mixed field order',
    [textIf('c', 'b', '1'), a, textIf('d', 'c', '1'), b],
    { ...ones, b: '2' },
    'a b',
  ],
  ...hidden(b, { a: '0', b: 'x' }, [
    ['a hidden subject reads as empty for equals', when('b', 'equals', 'x'), false],
    ['a hidden subject reads as empty for not_equals', when('b', 'not_equals', 'x'), true],
    ['a hidden subject reads as empty for is_empty', when('b', 'is_empty'), true],
    ['a hidden subject reads as empty for is_not_empty', when('b', 'is_not_empty'), false],
  ]),
  ...hidden(booleanB, { b: true }, [['a hidden boolean counts as false', when('b', 'equals', false), true]]),
  ...hidden(numberB, { b: 1 }, [['a hidden number reads as empty', when('b', 'less_than', 10), false]]),
  [
    'hiding alternates along a chain of is_empty',
    [a, text('b', when('a', 'is_empty')), text('c', when('b', 'is_empty')), text('d', when('c', 'is_empty'))],
    { a: 'x', b: 'x', c: 'x', d: 'x' },
    'a c',
  ],
  ['two fields depend on one subject', [a, b, text('c', when('a', 'not_equals', '1'))], { a: '1' }, 'a b'],
  ['a diamond', diamond('1'), ones, 'd b c a'],
  ['a diamond with one side hidden', diamond('2'), ones, 'b a'],
  [
    'a heading can be hidden',
    [a, fieldOf('h', 'heading', { visibleWhen: when('a', 'equals', '1') })],
    {},
    'a',
  ],
  [
    'a paragraph can be shown',
    [fieldOf('p', 'paragraph', { visibleWhen: when('a', 'equals', '1') }), a],
    { a: '1' },
    'p a',
  ],
  ['ids that objects inherit are ordinary', inherited, {}, 'constructor toString'],
  [
    'answers under ids that objects inherit',
    [text('constructor'), textIf('valueOf', 'constructor', 'x')],
    { constructor: 'x' },
    'constructor valueOf',
  ],
  ['answers to unknown fields do not matter', [a, text('b', when('a', 'is_not_empty'))], { z: 'x' }, 'a'],
]

/** A third field, c, with a rule about the second one, which is hidden. */
function hidden(
  second: unknown,
  answers: VisibilityCase['answers'],
  cases: readonly (readonly [name: string, rule: unknown, holds: boolean])[],
): typeof others {
  return cases.map(([name, rule, holds]) => [
    name,
    [a, second, text('c', rule)],
    answers,
    holds ? 'a c' : 'a',
  ])
}

export const visibilityCases: readonly VisibilityCase[] = [
  ...ofOneRule,
  ...others.map(([name, fields, answers, visible]) => ({
    name,
    fields,
    answers,
    visible: visible.split(' '),
  })),
]

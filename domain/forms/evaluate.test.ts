import { describe, expect, it } from 'vitest'
import { compiledOf, fieldOf, optionsOf, when } from '../../test/support/data/forms/forms.ts'
import { sayerOf } from './language/words.ts'
import { readAnswers, contactOf } from './evaluate.ts'
import { groupEntries, type SubmittedBody } from './language/answers.ts'

const types: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  single_choice: { options: optionsOf('a', 'b') },
  multiple_choice: { options: optionsOf('a', 'b', 'c') },
}

function body(
  format: SubmittedBody['format'],
  pairs: readonly (readonly [string, unknown])[],
): SubmittedBody {
  return { format, entries: groupEntries([['_gotcha', ''], ...pairs]) }
}

const json = (answers: Readonly<Record<string, unknown>>): SubmittedBody =>
  body('json', Object.entries(answers))

const say = await sayerOf({})

/** The stored value of one field `x`, or the message about it. */
function outcome(type: string, settings: object, submitted: SubmittedBody): unknown {
  const reading = readAnswers(compiledOf([fieldOf('x', type, { ...types[type], ...settings })]), submitted)
  if (reading.kind === 'valid') return reading.answers
  const problem = reading.fieldErrors.get('x')
  return problem === undefined ? reading.fieldErrors : say(problem)
}

const long = 'x'.repeat(10_000)

describe('accepted in JSON', () => {
  it.each<[string, unknown, unknown]>([
    ['short_text', ' as given\n', ' as given\n'],
    ['short_text', '0', '0'],
    ['short_text', long, long],
    ['long_text', 'a\r\nb\t😀', 'a\r\nb\t😀'],
    ['email', 'Ada@Example.com', 'Ada@Example.com'],
    ['email', ' ada@example.com ', ' ada@example.com '],
    ['phone', '(212) 555-0123', '2125550123'],
    ['phone', '+1 212 555 0123', '2125550123'],
    ['phone', '0049 30 1234567', '9301234567'],
    ['phone', '555-0123', '5550123'],
    ['phone', '2125550123 x45', '2555012345'],
    ['number', 0, 0],
    ['number', -0, 0],
    ['number', 1.5, 1.5],
    ['number', '42', 42],
    ['number', ' -1.5e2 ', -150],
    ['number', '.5', 0.5],
    ['number', '+7', 7],
    ['number', '-0', 0],
    ['number', '1,5', 1.5],
    ['number', '0,500', 0.5],
    ['number', '-1234,567', -1234.567],
    ['number', ',5', 0.5],
    ['number', '1.500', 1.5],
    ['number', '\u2212' + '5', -5],
    ['number', '１２', 12],
    ['number', '١٢٫٥', 12.5],
    ['number', '۱۲', 12],
    ['number', '१२.५', 12.5],
    ['number', '\u200e-\ufeff7\u200f', -7],
    ['number', '123456789012345', 123456789012345],
    ['number', '000.00012345678901234500', 0.000123456789012345],
    ['number', '123456789012345000000', 123456789012345000000],
    ['number', '1e308', 1e308],
    ['number', '0e400', 0],
    ['number', '0.00000', 0],
    ['date', '٢٠٢٤-٠٢-٢٩', '2024-02-29'],
    ['date', '２０２４-０２-２９', '2024-02-29'],
    ['date', '\u200e2024-02-29', '2024-02-29'],
    ['email', '\u202aada@example.com\u202c', 'ada@example.com'],
    ['email', ' ada@exam\u00adple.com\u200b', ' ada@example.com'],
    ['email', 'ada@bücher.example', 'ada@bücher.example'],
    ['phone', '\u202a+1 212\u200b 555 0123\u202c', '2125550123'],
    ['phone', '٠٣٠ ٩٠١٨٢٠٠', '0309018200'],
    ['phone', '２１２－５５５－０１２３', '2125550123'],
    ['phone', '२१२५५५०१२३', '2125550123'],
    ['short_text', '\u202a१\u202c', '\u202a१\u202c'],
    ['date', '2024-02-29', '2024-02-29'],
    ['single_choice', 'a', 'a'],
    ['multiple_choice', ['c', 'a'], ['c', 'a']],
    ['boolean', false, false],
    ['boolean', true, true],
    ['consent', true, true],
    ['consent', false, false],
  ])('%s %j', (type, given, stored) => {
    expect(outcome(type, {}, json({ x: given }))).toEqual({ x: stored })
  })
})

describe('refused in JSON', () => {
  it.each<[string, unknown]>([
    ['short_text', 1],
    ['short_text', true],
    ['short_text', ['a']],
    ['short_text', {}],
    ['short_text', `${long}x`],
    ['short_text', 'a\0b'],
    ['short_text', 'a\ud800'],
    ['long_text', '\udc00'],
    ['email', 'ada'],
    ['email', 'ada@'],
    ['email', 'a@b c.example'],
    ['email', 'a@b.example, c@d.example'],
    ['email', 1],
    ['phone', '555-012'],
    ['phone', 'call me'],
    ['phone', 2125550123],
    ['number', 'two'],
    ['number', '0x10'],
    ['number', '1,500'],
    ['number', '-12,000e2'],
    ['number', '1,234,567'],
    ['number', '1.234,56'],
    ['number', "1'000"],
    ['number', '1 000'],
    ['number', '5.'],
    ['number', '1,'],
    ['number', '1.5.5'],
    ['number', '- 1'],
    ['number', '1_000'],
    ['number', '½'],
    ['number', '²'],
    ['number', '0b1'],
    ['number', 'e5'],
    ['number', '.'],
    ['number', '-'],
    ['number', '9007199254740993'],
    ['number', '0.1234567890123456'],
    ['number', '1234567890123456e-3'],
    ['number', '1e-400'],
    ['number', '1e-320'],
    ['email', 'jürgen@example.com'],
    ['email', 'ada@bü/cher.example'],
    ['phone', '٥٥٥-٠١٢'],
    ['number', 'Infinity'],
    ['number', '1e999'],
    ['number', Infinity],
    ['number', true],
    ['number', [1]],
    ['date', '2023-02-29'],
    ['date', '2024-2-9'],
    ['date', '2024-02-29T00:00:00Z'],
    ['date', ' 2024-02-29'],
    ['date', '29.02.2024'],
    ['date', 20240229],
    ['single_choice', 'A'],
    ['single_choice', 'a '],
    ['single_choice', ['a']],
    ['single_choice', 1],
    ['multiple_choice', 'a'],
    ['multiple_choice', ['z']],
    ['multiple_choice', ['a', 'a']],
    ['multiple_choice', ['a', null]],
    ['multiple_choice', ['a', 1]],
    ['multiple_choice', ['']],
    ['multiple_choice', [['a']]],
    ['multiple_choice', { 0: 'a' }],
    ['multiple_choice', Array.from({ length: 101 }, () => 'a')],
    ['boolean', 'true'],
    ['boolean', 1],
    ['boolean', [true]],
    ['consent', 'on'],
  ])('%s %j', (type, given) => {
    expect(outcome(type, {}, json({ x: given }))).toMatch(/^[A-Z].*\.$/)
  })
})

describe('empty answers', () => {
  const empties: readonly unknown[] = ['', ' \t\r\n', null, []]
  const unseen = ' \u200b\u202a\u00ad'
  const all = [
    'short_text',
    'long_text',
    'email',
    'phone',
    'number',
    'date',
    'single_choice',
    'multiple_choice',
    'boolean',
    'consent',
  ]

  it.each(all)('%s', (type) => {
    for (const empty of empties) {
      expect(outcome(type, {}, json({ x: empty })), JSON.stringify(empty)).toEqual({})
      expect(outcome(type, { required: true }, json({ x: empty })), JSON.stringify(empty)).toMatch(/required/)
    }
    expect(outcome(type, {}, json({}))).toEqual({})
    expect(outcome(type, { required: true }, json({}))).toMatch(/required/)
    expect(outcome(type, { required: true }, body('form', [['x', ' ']]))).toMatch(/required/)
  })

  it.each(['email', 'phone'])('%s that nobody can see', (type) => {
    expect(outcome(type, {}, json({ x: unseen }))).toEqual({})
    expect(outcome(type, { required: true }, json({ x: unseen }))).toMatch(/required/)
  })

  it('false answers a required boolean but gives no required consent', () => {
    expect(outcome('boolean', { required: true }, json({ x: false }))).toEqual({ x: false })
    expect(outcome('consent', { required: true }, json({ x: false }))).toMatch(/consent/)
    expect(outcome('consent', { required: true }, json({ x: true }))).toEqual({ x: true })
  })

  it('zero answers a required number', () => {
    expect(outcome('number', { required: true }, json({ x: 0 }))).toEqual({ x: 0 })
  })
})

describe('bounds', () => {
  it.each<[string, object, unknown, boolean]>([
    ['short_text', { minLength: 3 }, 'ab', false],
    ['short_text', { minLength: 3 }, 'abc', true],
    ['short_text', { maxLength: 3 }, 'abc', true],
    ['short_text', { maxLength: 3 }, 'abcd', false],
    ['short_text', { maxLength: 2 }, '😀', true],
    ['short_text', { maxLength: 1 }, '😀', false],
    ['short_text', { maxLength: 1 }, 'a ', false],
    ['long_text', { maxLength: 3 }, 'a\r\nb', true],
    ['long_text', { maxLength: 3 }, 'a\nb', true],
    ['long_text', { maxLength: 3 }, 'a\rb', true],
    ['long_text', { maxLength: 3 }, 'a\r\n\r\nb', false],
    ['long_text', { minLength: 4 }, 'a\r\nb', false],
    ['short_text', { minLength: 3 }, 'a\r\nb', true],
    ['long_text', {}, '\r\n'.repeat(4_999) + 'x'.repeat(5_001), true],
    ['long_text', {}, '\r\n'.repeat(9_999) + 'x', true],
    ['long_text', {}, '\r\n'.repeat(9_999) + 'xx', false],
    ['email', { maxLength: 11 }, '\u202aa@b.example\u202c', true],
    ['email', { maxLength: 5 }, 'a@b.example', false],
    ['phone', { maxLength: 10 }, '(212) 555-0123', false],
    ['number', { min: 1, max: 3 }, 1, true],
    ['number', { min: 1, max: 3 }, '3.0', true],
    ['number', { min: 1, max: 3 }, 0.9, false],
    ['number', { min: 1, max: 3 }, '3.1', false],
    ['number', { min: 0 }, -1, false],
    ['date', { min: '2026-01-01', max: '2026-12-31' }, '2026-01-01', true],
    ['date', { min: '2026-01-01', max: '2026-12-31' }, '2025-12-31', false],
    ['date', { min: '2026-01-01', max: '2026-12-31' }, '2027-01-01', false],
  ])('%s %j %j', (type, settings, given, isAllowed) => {
    const result = outcome(type, settings, json({ x: given }))
    expect(typeof result === 'object').toBe(isAllowed)
  })

  it('say what is allowed', () => {
    expect(outcome('number', { min: 2 }, json({ x: 1 }))).toBe('Enter a number of at least 2.')
    expect(outcome('number', {}, json({ x: '1,500' }))).toBe(
      'Enter the number without a separator of thousands, such as 1500 or 1.5.',
    )
    expect(outcome('number', {}, json({ x: '9007199254740993' }))).toBe(
      'Enter a number of at most 15 digits.',
    )
    expect(outcome('date', { max: '2026-12-31' }, json({ x: '2027-01-01' }))).toBe(
      'Enter a date on or before 2026-12-31.',
    )
  })
})

describe('form encodings', () => {
  it.each([
    ['true', true],
    ['on', true],
    ['1', true],
    ['yes', true],
    ['false', false],
    ['off', false],
    ['0', false],
    ['no', false],
  ])('boolean %s', (spelling, stored) => {
    expect(outcome('boolean', {}, body('form', [['x', spelling]]))).toEqual({ x: stored })
    expect(outcome('consent', {}, body('form', [['x', spelling]]))).toEqual({ x: stored })
  })

  it.each(['y', 'checked', '2', 'truefalse'])('no boolean: %s', (spelling) => {
    expect(outcome('boolean', {}, body('form', [['x', spelling]]))).toMatch(/true or false/)
  })

  it.each<[string, readonly string[], readonly string[]]>([
    ['a lone value', ['a'], ['a']],
    ['repeated names', ['b', 'a'], ['b', 'a']],
    ['an empty value beside a group', ['', 'a'], ['a']],
  ])('multiple choice: %s', (_name, values, stored) => {
    expect(
      outcome(
        'multiple_choice',
        {},
        body(
          'form',
          values.map((value) => ['x', value]),
        ),
      ),
    ).toEqual({ x: stored })
  })

  it.each(['short_text', 'number', 'boolean', 'single_choice', 'date', 'phone', 'email'])(
    '%s given twice',
    (type) => {
      expect(
        outcome(
          type,
          {},
          body('form', [
            ['x', 'a'],
            ['x', 'a'],
          ]),
        ),
      ).toBe('Give one answer only.')
    },
  )

  it('repetition and unknown options of a multiple choice', () => {
    expect(
      outcome(
        'multiple_choice',
        {},
        body('form', [
          ['x', 'a'],
          ['x', 'a'],
        ]),
      ),
    ).toMatch(/once/)
    expect(outcome('multiple_choice', {}, body('form', [['x', 'z']]))).toMatch(/options/)
  })

  it('numbers are text', () => {
    expect(outcome('number', {}, body('form', [['x', '1e3']]))).toEqual({ x: 1000 })
  })
})

describe('line breaks in names and options, which a browser sends as CRLF', () => {
  it('in the id of a field', () => {
    const form = compiledOf([fieldOf('a\nb', 'short_text', { required: true }), fieldOf('c', 'short_text')])
    expect(readAnswers(form, body('form', [['a\r\nb', 'x']]))).toMatchObject({ answers: { 'a\nb': 'x' } })
    expect(readAnswers(form, json({ 'a\nb': 'x' }))).toMatchObject({ answers: { 'a\nb': 'x' } })
    const others = readAnswers(form, body('form', [['a b', 'x']]))
    expect(others.kind === 'invalid' ? [...others.fieldErrors.keys()] : []).toEqual(['a\nb', 'a b'])
  })

  it('in an id that looks like a name which a browser has escaped', () => {
    const form = compiledOf([fieldOf('a%22b', 'short_text'), fieldOf('x%0Ay', 'short_text')])
    const answers = { 'a%22b': '1', 'x%0Ay': '2' }
    const unescaped = body('form', [
      ['a"b', '1'],
      ['x\ny', '2'],
    ])
    expect(readAnswers(form, unescaped)).toMatchObject({ answers })
    expect(readAnswers(form, body('form', Object.entries(answers)))).toMatchObject({ answers })
  })

  it.each<[string, readonly string[], string, unknown]>([
    ['single_choice', ['a\nb', 'c'], 'a\r\nb', 'a\nb'],
    ['single_choice', ['a\nb', 'a\r\nb'], 'a\r\nb', 'a\r\nb'],
    ['multiple_choice', ['a\nb', 'c'], 'a\r\nb', ['a\nb']],
  ])('%s of %j', (type, values, sent, stored) => {
    expect(outcome(type, { options: optionsOf(...values) }, body('form', [['x', sent]]))).toEqual({
      x: stored,
    })
  })
})

it('a multiple choice takes 100 items and no more', () => {
  const values = Array.from({ length: 101 }, (_, index) => `v${index}`)
  const settings = { options: optionsOf(...values) }
  expect(outcome('multiple_choice', settings, json({ x: values.slice(1) }))).toEqual({ x: values.slice(1) })
  expect(outcome('multiple_choice', settings, json({ x: values }))).toBe('Choose at most 100 options.')
})

describe('a whole form', () => {
  const form = compiledOf([
    fieldOf('kind', 'single_choice', { required: true, options: optionsOf('a', 'b') }),
    fieldOf('why', 'short_text', { required: true, visibleWhen: when('kind', 'equals', 'b') }),
    fieldOf('more', 'number', { required: true, visibleWhen: when('why', 'is_not_empty') }),
    fieldOf('title', 'heading'),
    fieldOf('constructor', 'short_text'),
  ])

  it('drops what is hidden, unseen', () => {
    const reading = readAnswers(form, json({ kind: 'a', why: { nested: true }, more: 'not a number' }))
    expect(reading).toEqual({
      kind: 'valid',
      extra: null,
      answers: { kind: 'a' },
      given: new Map([['kind', 'a']]),
    })
  })

  it('names every failing field and every unknown key', () => {
    const submitted = json({ kind: 'b', more: 1, title: 'x', _subject: 'x', data: {} })
    const reading = readAnswers(
      form,
      body('json', [
        ...[...submitted.entries].map(([key, [value]]) => [key, value] as const),
        ['__proto__', 1],
      ]),
    )
    const errors = reading.kind === 'invalid' ? [...reading.fieldErrors.keys()] : []
    expect(errors).toEqual(['why', 'title', '_subject', 'data', '__proto__'])
  })

  it('does not ask for what an unanswered subject hides', () => {
    const reading = readAnswers(form, json({}))
    expect(reading.kind === 'invalid' ? [...reading.fieldErrors.keys()] : []).toEqual(['kind'])
  })

  it('treats inherited names as ordinary ones', () => {
    expect(readAnswers(form, json({ kind: 'a' }))).toMatchObject({ answers: { kind: 'a' } })
    const reading = readAnswers(form, json({ kind: 'a', constructor: 'x' }))
    expect(reading.kind === 'valid' ? Object.keys(reading.answers) : []).toEqual(['kind', 'constructor'])
    expect(readAnswers(form, json({ kind: 'a', toString: 'x' })).kind).toBe('invalid')
  })
})

describe('unknown keys', () => {
  const form = compiledOf([fieldOf('known', 'short_text', { required: true })])
  const errorsOf = (keys: readonly string[]): readonly (readonly [string, string])[] => {
    const reading = readAnswers(
      form,
      body(
        'json',
        keys.map((key) => [key, 0] as const),
      ),
    )
    return reading.kind === 'valid'
      ? []
      : [...reading.fieldErrors].map(([id, problem]) => [id, say(problem)] as const)
  }

  it.each([
    ['of 60 characters whole', 'x'.repeat(60), 'x'.repeat(60)],
    ['of 61 characters cut', 'x'.repeat(61), `${'x'.repeat(60)}…`],
    ['without splitting a surrogate pair', `${'x'.repeat(59)}😀${'y'.repeat(99)}`, `${'x'.repeat(59)}…`],
    ['with a pair that just fits', `${'x'.repeat(58)}😀y`, `${'x'.repeat(58)}😀…`],
    ['called __proto__', '__proto__', '__proto__'],
  ])('are repeated %s, behind the fields', (_, key, shown) => {
    expect(errorsOf([key])).toEqual([
      ['known', 'This field is required.'],
      [shown, 'This form has no such field.'],
    ])
  })

  it('never take the place of a field that reads like a cut one', () => {
    const id = `${'x'.repeat(60)}…`
    const reading = readAnswers(
      compiledOf([fieldOf(id, 'short_text', { required: true })]),
      json({ ['x'.repeat(99)]: 1 }),
    )
    expect(reading).toEqual({ kind: 'invalid', fieldErrors: new Map([[id, ['required']]]) })
  })
})

const form = compiledOf([
  fieldOf('e', 'email', { contactField: 'email' }),
  fieldOf('e2', 'short_text', { contactField: 'email' }),
  fieldOf('p', 'phone', { contactField: 'phone' }),
  fieldOf('f', 'short_text', { contactField: 'firstName' }),
  fieldOf('l', 'short_text', { contactField: 'lastName' }),
  fieldOf('c', 'single_choice', { contactField: 'licensePlate', options: optionsOf('B-AB 1') }),
  fieldOf('other', 'email'),
])

const contact = (given: Readonly<Record<string, string>>, country = 'US') =>
  contactOf(form, new Map(Object.entries(given)), country, 'con_1')

describe('the contact of a submission', () => {
  it('takes its attributes from mapped fields', async () => {
    const given = {
      e: ' Ada@Example.com ',
      p: '(212) 555-0123',
      f: ' Ada ',
      l: 'Lovelace',
      c: 'B-AB 1',
      other: 'x@y.example',
    }
    expect(await contact(given)).toEqual({
      newContactId: 'con_1',
      email: 'Ada@Example.com',
      emailKey: 'ada@example.com',
      phone: '+12125550123',
      firstName: 'Ada',
      lastName: 'Lovelace',
      licensePlate: 'B-AB 1',
    })
  })

  it.each([
    ['+49 30 901820', 'US', '+4930901820'],
    ['030 901820', 'DE', '+4930901820'],
    ['0049 30 901820', 'DE', '+4930901820'],
    ['030 901820', 'US', null],
    ['555-0123', 'US', null],
    ['1234567', 'US', null],
    ['(212) 555-0123 ext. 5', 'US', '+12125550123'],
    ['+44 20 7946 0958 #12', 'US', '+442079460958'],
  ])('reads the phone %s in %s', async (p, country, phone) => {
    expect((await contact({ e: 'a@b.example', p }, country))?.phone).toBe(phone)
  })

  it.each([
    ['\u202aAda@example.com\u202c', 'Ada@example.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
    [' ada@BÜCHER.example\u200b ', 'ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ])('has the address %j as it is seen, compared in ASCII', async (given, email, emailKey) => {
    for (const field of ['e', 'e2'])
      expect(await contact({ [field]: given })).toMatchObject({ email, emailKey })
  })

  it.each([
    '\u202a+49 30 901820\u202c',
    '+٤٩ ٣٠ ٩٠١٨٢٠',
    '＋４９ ３０ ９０１８２０',
    '+४९ ३० ९०१८२०',
    '+49\u200b30\u00ad901820',
  ])('reads the phone %j', async (p) => {
    expect(await contact({ p })).toMatchObject({ phone: '+4930901820' })
  })

  it('is nobody without a valid email or phone', async () => {
    expect(await contact({})).toBeNull()
    expect(await contact({ f: 'Ada', l: 'Lovelace', other: 'a@b.example' })).toBeNull()
    expect(await contact({ p: '1234567', f: 'Ada' })).toBeNull()
    expect(await contact({ e2: 'not an address' })).toBeNull()
  })

  it('is somebody by phone alone', async () => {
    expect(await contact({ p: '2125550123' })).toMatchObject({
      email: null,
      emailKey: null,
      phone: '+12125550123',
    })
  })

  it('takes the first usable answer to an attribute', async () => {
    expect((await contact({ e: 'a@b.example', e2: 'c@d.example' }))?.email).toBe('a@b.example')
    expect((await contact({ e2: 'c@d.example' }))?.email).toBe('c@d.example')
  })
})

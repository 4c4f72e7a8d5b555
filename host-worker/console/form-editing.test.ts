import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { limitedSettings, fieldPath } from '../../domain/forms/language/compile.ts'
import { formLineKeys, reviewForm, fieldSetting, formSetting } from '../../domain/forms/language/check.ts'
import {
  answerTypes,
  contactFields,
  displayTypes,
  languages,
  type FormField,
} from '../../domain/forms/language/definition.ts'
import { titleOf } from '../../domain/text/words.ts'
import { fieldOf, optionsOf, when } from '../../test/support/data/forms/forms.ts'
import { generatedForm } from '../../test/support/data/forms/generated-forms.ts'
import {
  addRule,
  operatorsFor,
  removeRule,
  setOperator,
  setSubject,
  subjectsFor,
  addOption,
  nameForm,
  relabelField,
  relabelOption,
  renameField,
  revalueOption,
} from './app/forms/changes.ts'
import {
  addField,
  applied,
  bringBack,
  editingOf,
  fieldsIn,
  idFrom,
  isChanged,
  moveField,
  openField,
  partAt,
  removeField,
  replaceForm,
  savedAs,
  setPart,
  type Change,
  type Editing,
  inEditorsWords,
} from './app/forms/editing.ts'

const formOf = (fields: readonly unknown[]) => ({ formId: 'f', name: 'F', notificationEmails: [], fields })
const begun = (...fields: readonly unknown[]) => editingOf(formOf(fields))
const done = (editing: Editing, ...changes: readonly Change[]) => changes.reduce(applied, editing)
const idsIn = ({ form }: Editing) => fieldsIn(form).map((field) => (field as { id: unknown }).id)

describe('what the editor does not know', () => {
  const strange = {
    ...formOf([
      null,
      'text',
      { id: 5, type: 'payment', price: { cents: 100 } },
      {
        id: 'a',
        type: 'short_text',
        label: 'A',
        colour: 'red',
        min: null,
        visibleWhen: { match: 'odd', rules: 'none' },
      },
      JSON.parse('{"id":"__proto__","__proto__":{"kept":true},"type":"number","label":"P"}'),
    ]),
    createdAt: '2026-01-01T00:00:00.000Z',
    requireEmailVerification: true,
  }

  it('stays as it is, and is nothing to save', () => {
    const editing = editingOf(strange)
    expect(editing.form).toBe(strange)
    expect(isChanged(editing)).toBe(false)
  })

  it('stays when something else is changed, to the letter', () => {
    const editing = done(
      editingOf(strange),
      setPart(['name'], 'G'),
      moveField(0, 4),
      moveField(4, 0),
      setPart(['name'], 'F'),
    )
    expect(JSON.stringify(editing.form)).toBe(JSON.stringify(strange))
    expect(isChanged(done(editingOf(strange), relabelField(3, 'B')))).toBe(true)
    const relabelled = done(editingOf(strange), relabelField(3, 'B')).form
    expect(JSON.stringify(relabelled)).toBe(JSON.stringify(strange).replace('"label":"A"', '"label":"B"'))
  })

  it('does not break what looks through the form', () => {
    const { findings, form } = reviewForm(strange)
    expect(form).toBeNull()
    expect(findings.filter(({ path }) => path[1] === 0)[0]?.sentence).toBe('Field 1 is not an object.')
    for (const odd of [{}, { fields: 3 }, { fields: [[]] }, { fields: [{ options: 1, visibleWhen: [] }] }])
      expect(reviewForm(odd).form).toBeNull()
  })
})

test('random fields moved, removed and put back are the same form', () => {
  const property = fc.property(generatedForm, fc.nat(9), fc.nat(9), ({ fields }, one, other) => {
    const editing = begun(...fields)
    const [from, to] = [one % fields.length, other % fields.length]
    const moved = done(editing, moveField(from, to))
    expect(moved.keys.toSorted()).toEqual(editing.keys)
    expect(done(moved, moveField(to, from))).toEqual(editing)
    expect(fieldsIn(done(editing, removeField(from)).form)).toEqual(fields.toSpliced(from, 1))
    const both = done(editing, removeField(from), ...(fields.length > 1 ? [removeField(0)] : []))
    expect(done(both, bringBack(), bringBack(), bringBack())).toEqual(editing)
    expect(done(editing, replaceForm(moved.form), replaceForm(editing.form))).toEqual(editing)
  })
  fc.assert(property, { seed: 1, numRuns: 200 })
})

test.each([...answerTypes, ...displayTypes])('a new field of type %s can be shown at once', (type) => {
  const twice = done(begun(), addField(type), addField(type))
  expect(reviewForm(twice.form).findings).toEqual([])
  expect(new Set(twice.keys).size).toBe(2)
  expect(twice.open).toBe(twice.keys[1])
})

describe('names', () => {
  const shown = (rule: object) => fieldOf('b', 'short_text', { visibleWhen: { match: 'all', rules: [rule] } })

  it('carries conditions along with the id of their subject, and with the value of an option', () => {
    const editing = begun(
      fieldOf('kind', 'single_choice', { options: optionsOf('x', 'y') }),
      shown({ field: 'kind', operator: 'any_of', value: ['x', 'y'] }),
      fieldOf('c', 'short_text', { visibleWhen: when('kind', 'equals', 'x') }),
    )
    const { form } = done(editing, renameField(0, 'sort'), revalueOption(0, 0, 'z'))
    expect(partAt(form, fieldPath(1, 'visibleWhen', 'rules', 0))).toEqual({
      field: 'sort',
      operator: 'any_of',
      value: ['z', 'y'],
    })
    expect(partAt(form, fieldPath(2, 'visibleWhen', 'rules', 0))).toMatchObject({ field: 'sort', value: 'z' })
    expect(reviewForm(form).findings).toEqual([])
  })

  it('leaves conditions on another field alone that has an option of the same value', () => {
    const editing = begun(
      fieldOf('size', 'single_choice', { options: optionsOf('other', 'small') }),
      fieldOf('kind', 'single_choice', { options: optionsOf('other', 'wax') }),
      fieldOf('what', 'short_text', { visibleWhen: when('kind', 'equals', 'other') }),
    )
    const { form } = done(editing, revalueOption(0, 0, 'huge'))
    expect(partAt(form, fieldPath(2, 'visibleWhen', 'rules', 0))).toMatchObject({ value: 'other' })
    expect(reviewForm(form).findings).toEqual([])
  })

  it('leaves conditions alone when two fields have the id', () => {
    const editing = begun(
      fieldOf('a', 'number'),
      fieldOf('a', 'number'),
      shown({ field: 'a', operator: 'is_empty' }),
    )
    const { form } = done(editing, renameField(0, 'x'))
    expect(partAt(form, fieldPath(2, 'visibleWhen', 'rules', 0, 'field'))).toBe('a')
  })

  it('gives a new field an id by its label, and never changes that of a saved one', () => {
    const editing = done(begun(fieldOf('email', 'email', { label: 'Email' })), addField('short_text'))
    const labelled = done(
      editing,
      relabelField(1, ''),
      relabelField(1, 'Größe: '),
      relabelField(1, 'Größe (cm)'),
    )
    expect(idsIn(labelled)).toEqual(['email', 'groesse_cm'])
    expect(idsIn(done(labelled, relabelField(1, 'Email')))).toEqual(['email', 'email_2'])
    expect(idsIn(done(labelled, relabelField(0, 'Address')))).toEqual(['email', 'groesse_cm'])
    expect(idsIn(done(labelled, renameField(1, 'own'), relabelField(1, 'Other')))).toEqual(['email', 'own'])
    const saved = done(labelled, savedAs(labelled.form, labelled.form), relabelField(1, 'Other'))
    expect(idsIn(saved)).toEqual(['email', 'groesse_cm'])
  })

  it('gives a new form an id by its name, until it gets one of its own', () => {
    const fresh = editingOf({ formId: '', name: '', fields: [] }, {})
    expect(done(fresh, nameForm('Car wash'), nameForm('Café')).form).toMatchObject({
      formId: 'cafe',
      name: 'Café',
    })
    expect(done(fresh, nameForm('A'), setPart(['formId'], 'b'), nameForm('C')).form.formId).toBe('b')
    expect(done(begun(), nameForm('Other')).form.formId).toBe('f')
  })

  it('gives a new option a value in the same way', () => {
    const editing = begun(fieldOf('kind', 'single_choice', { options: [{ value: 'wax', label: 'Wax' }] }))
    const { form } = done(
      editing,
      addOption(0),
      relabelOption(0, 1, 'Wash & dry'),
      relabelOption(0, 0, 'Hot wax'),
    )
    expect(partAt(form, fieldPath(0, 'options'))).toEqual([
      { value: 'wax', label: 'Hot wax' },
      { value: 'wash_dry', label: 'Wash & dry' },
    ])
  })
})

test('a condition can be made with every subject and operator, and is right at once', () => {
  for (const type of answerTypes) {
    const options = type.endsWith('choice') ? { options: optionsOf('x', 'y') } : {}
    const editing = done(begun(fieldOf('s', type, options), fieldOf('b', 'short_text')), addRule(1))
    const [subject] = subjectsFor(editing.form, 1)
    if (subject === undefined) throw new Error(`There is no subject of type ${type}`)
    for (const operator of operatorsFor(subject)) {
      const { form } = done(editing, setOperator(1, 0, operator))
      // What is typed is still to be typed.
      const left = reviewForm(form).findings.filter(
        ({ sentence }) => !/empty value|does not fit/.test(sentence),
      )
      expect([type, operator, left]).toEqual([type, operator, []])
    }
    expect(done(editing, removeRule(1, 0)).form).toEqual(
      begun(fieldOf('s', type, options), fieldOf('b', 'short_text')).form,
    )
  }
})

test('another subject keeps the operator if it takes it, and gets a value of its own', () => {
  const editing = begun(
    fieldOf('n', 'number'),
    fieldOf('f', 'boolean'),
    fieldOf('b', 'short_text', { visibleWhen: when('n', 'greater_than', 4) }),
  )
  expect(partAt(done(editing, setSubject(2, 0, 'f')).form, fieldPath(2, 'visibleWhen', 'rules', 0))).toEqual({
    field: 'f',
    operator: 'is_not_empty',
  })
  const equals = begun(
    fieldOf('n', 'number'),
    fieldOf('f', 'boolean'),
    fieldOf('b', 'short_text', { visibleWhen: when('n', 'equals', 4) }),
  )
  expect(partAt(done(equals, setSubject(2, 0, 'f')).form, fieldPath(2, 'visibleWhen', 'rules', 0))).toEqual({
    field: 'f',
    operator: 'equals',
    value: true,
  })
})

test('what is changed while a form is being saved is still to be saved', () => {
  const editing = begun(fieldOf('a', 'number'))
  const stored = { ...editing.form, createdAt: '2026-01-01T00:00:00.000Z' }
  expect(isChanged(done(editing, savedAs(editing.form, stored)))).toBe(false)
  const later = done(editing, openField(0), relabelField(0, 'Later'), savedAs(editing.form, stored))
  expect(isChanged(later)).toBe(true)
  expect(partAt(later.form, fieldPath(0, 'label'))).toBe('Later')
})

test('a setting has the control that its declaration asks for', () => {
  const kindOf = (setting: keyof FormField) => fieldSetting(setting).kind
  expect(limitedSettings.map((setting) => `${setting}: ${kindOf(setting)}`)).toEqual([
    ...[
      'options: list',
      'required: truth',
      'placeholder: text',
      'helpText: text',
      'min: bound',
      'max: bound',
    ],
    ...['minLength: number', 'maxLength: number', 'contactField: choice'],
  ])
  expect(fieldSetting('type')).toMatchObject({
    kind: 'choice',
    isNeeded: true,
    choices: [...answerTypes, ...displayTypes].map((value) => ({ value, label: titleOf(value) })),
  })
  expect(fieldSetting('contactField')).toMatchObject({
    label: 'Contact field',
    isNeeded: false,
    none: 'Nothing',
    choices: contactFields.map((value) => ({ value, label: titleOf(value) })),
  })
  expect(formLineKeys.map((key) => `${key}: ${formSetting(key).kind}`)).toEqual(
    expect.arrayContaining(['formId: text', 'notificationEmails: list', 'submissionLimitPerContact: number']),
  )
  expect(formSetting('name').isNeeded && !formSetting('successTitle').isNeeded).toBe(true)
})

test('settings say what holds when nothing is stored, in a person’s words', () => {
  const said = (key: 'language' | 'spamFilter' | 'extraAnswers') => {
    const { choices, initial } = formSetting(key)
    return choices.map(({ value, label }) => (value === initial ? `[${label}]` : label))
  }
  expect(said('language')).toEqual(['[English]', 'German', 'Spanish', 'French'])
  expect(formSetting('language').choices.map(({ value }) => value)).toEqual(languages)
  expect(said('spamFilter')).toEqual(['[On (usual)]', 'Off'])
  expect(said('extraAnswers')).toEqual(['[They are refused (usual)]', 'They are kept and shown'])
  expect(formSetting('publicUrl').label).toBe('Address of the page')
  const settings = [
    ...formLineKeys.map(formSetting),
    ...[...limitedSettings, 'visibleWhen' as const].map(fieldSetting),
  ]
  const shown = settings.flatMap(({ label, meaning, none, choices }) => [
    ...[label, meaning, none],
    ...choices.map((choice) => choice.label),
  ])
  // The words of the code that the console once showed.
  expect(shown.filter((text) => /left out|null|\bUrl\b|\bSms\b|[a-z][A-Z]/.test(text))).toEqual([])
})

test('an id has ASCII letters alone, as German spells them', () => {
  expect(idFrom('Tisch für Größe Äpfel, ÖL, ẞ', 'x')).toBe('tisch_fuer_groesse_aepfel_oel_ss')
  expect(idFrom('Größe'.normalize('NFD'), 'x')).toBe('groesse')
  expect(idFrom('Ñandú à la crème', 'x')).toBe('nandu_a_la_creme')
  expect(idFrom('日本', 'x')).toBe('x')
})

test('a new condition looks at the nearest choice above, else at the nearest field above, else at any', () => {
  const fields = [
    ...[fieldOf('name', 'short_text'), fieldOf('kind', 'single_choice', { options: optionsOf('x') })],
    ...[fieldOf('mail', 'email'), fieldOf('why', 'short_text'), fieldOf('ok', 'consent')],
    ...[fieldOf('more', 'short_text'), fieldOf('late', 'boolean')],
  ]
  const subjectOf = (index: number, of = fields) =>
    partAt(done(begun(...of), addRule(index)).form, fieldPath(index, 'visibleWhen', 'rules', 0, 'field'))
  expect([subjectOf(3), subjectOf(5)]).toEqual(['kind', 'kind'])
  expect(subjectOf(1)).toBe('name')
  expect(subjectOf(0)).toBe('kind')
  expect(subjectOf(2, fields.toSpliced(1, 1))).toBe('mail')
})

test('problems are said in the words of whoever edits the form', () => {
  const when = { match: 'all', rules: [{ field: 'gone', operator: 'is_empty' }] }
  const form = {
    ...formOf([
      { id: 'a', type: 'short_text', label: 'Your name', visibleWhen: when },
      { id: 'b', type: 'single_choice', label: 'Colour', options: [] },
      { id: 'c"d', type: 'number', label: '$& costs', min: 2, max: 1 },
      { id: 'e', type: 'shrt_text', label: 'Misspelt' },
      { id: 'f', type: 'short_text' },
      7,
    ]),
    name: '',
    notificationEmails: ['office'],
    submissionLimitPerContact: 1,
  }
  expect(inEditorsWords(reviewForm(form).findings, form).map(({ sentence }) => sentence)).toEqual([
    'Give the form a name.',
    '“office” is not an email address.',
    '“Misspelt”: type is "shrt_text", which is no type of field. Did you mean short_text?',
    '“Colour” has nothing to choose from. Add an option.',
    '“$& costs”: min must not be greater than max.',
    'Question 5 has no label.',
    'Field 6 is not an object.',
    '“Your name”: the question that this depends on was removed.',
    'To limit submissions, the form needs a required question, always shown, for an email address or a phone number of the contact.',
  ])
})

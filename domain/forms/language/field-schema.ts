import * as v from 'valibot'
import { answerTypes, contactFields, displayTypes, ruleOperators, ANSWER_MAX_LENGTH } from './definition.ts'
import { described, worded } from '../../record/meaning.ts'

const FIELD_ID_MAX_LENGTH = 200

/** The id of a field. Answers are keyed by it, so it may not begin with an underscore, as the control keys do. */
export const FieldId = v.pipe(
  v.string('the id must be a string'),
  v.nonEmpty('the id must not be empty'),
  v.maxLength(FIELD_ID_MAX_LENGTH, `the id must have at most ${FIELD_ID_MAX_LENGTH} characters`),
  // Without lookahead, which the expressions of some languages lack.
  v.regex(/^(?:$|[^_])/, 'the id must not start with "_"'),
)

const optionalText = (name: string) => v.nullish(v.string(`${name} must be a string`), null)

const optionalLength = (name: string) => {
  const message = `${name} must be a whole number from 0 to ${ANSWER_MAX_LENGTH}`
  return v.nullish(
    v.pipe(
      v.number(message),
      v.integer(message),
      v.minValue(0, message),
      v.maxValue(ANSWER_MAX_LENGTH, message),
    ),
    null,
  )
}

const optionalBound = (name: string) =>
  v.nullish(v.union([v.number(), v.string()], `${name} must be a number, or a date for a date field`), null)

const Option = v.object(
  {
    value: v.pipe(
      v.string('the value of an option must be a string'),
      v.regex(/\S/, 'the value of an option must not be blank'),
    ),
    label: v.string('the label of an option must be a string'),
  },
  'each option must be an object with value and label',
)

/** A rule of `visibleWhen`. */
export const Rule = v.object(
  {
    field: described(
      v.string('the field of a visibleWhen rule must be a string'),
      'The id of the field whose answer is compared.',
    ),
    operator: described(
      v.picklist(ruleOperators, (issue) => `visibleWhen has the unknown operator ${issue.received}`),
      'How it is compared.',
    ),
    value: described(
      v.optional(v.unknown(), null),
      'What it is compared with; nothing for is_empty and is_not_empty.',
    ),
  },
  'each visibleWhen rule must be an object with field, operator and value',
)

const VisibleWhen = v.object(
  {
    match: described(
      v.picklist(['all', 'any'], 'visibleWhen must have match "all" or "any"'),
      'Whether all of the rules must hold, or any of them.',
    ),
    rules: described(
      v.pipe(
        v.array(Rule, 'visibleWhen must have a list of rules'),
        v.nonEmpty('visibleWhen must have at least one rule'),
      ),
      'Comparisons with answers of other fields.',
    ),
  },
  'visibleWhen must be an object with match and rules',
)

/** The settings of a field that can be submitted here; null counts as omitted. Messages complete `Field "a": ….` */
export const FieldSettings = v.object(
  {
    id: described(FieldId, 'Names the answer. It is unique in the form.'),
    type: described(v.picklist([...answerTypes, ...displayTypes]), 'What a visitor answers, or reads.'),
    label: described(v.string('label must be a string'), 'What names the field for a visitor.'),
    required: described(
      v.nullish(v.boolean('required must be true or false'), false),
      'Whether a visitor who sees the field must answer it.',
    ),
    placeholder: described(optionalText('placeholder'), 'A text in the empty control.'),
    helpText: described(optionalText('helpText'), 'A hint beside the control.'),
    options: described(v.nullish(v.array(Option, 'options must be a list'), []), 'What can be chosen.'),
    min: worded(described(optionalBound('min'), 'The least number, or the first day.'), { label: 'Minimum' }),
    max: worded(described(optionalBound('max'), 'The greatest number, or the last day.'), {
      label: 'Maximum',
    }),
    minLength: worded(described(optionalLength('minLength'), 'The least number of characters.'), {
      label: 'Minimum length',
    }),
    maxLength: worded(described(optionalLength('maxLength'), 'The greatest number of characters.'), {
      label: 'Maximum length',
    }),
    contactField: worded(
      described(
        v.nullish(v.picklist(contactFields, `contactField must be one of ${contactFields.join(', ')}`), null),
        'Which attribute of the contact the answer fills.',
      ),
      { hint: 'What of the contact the answer fills.', none: 'Nothing' },
    ),
    visibleWhen: worded(described(v.nullish(VisibleWhen, null), 'When the field is shown; null: always.'), {
      hint: 'Hidden, the field has no answer.',
      none: 'The field is always shown.',
    }),
  },
  (issue) => `${issue.expected} is missing`,
)

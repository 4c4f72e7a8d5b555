import * as v from 'valibot'
import { answerTypes, contactFields, displayTypes, ruleOperators } from './definition.ts'
import { ANSWER_MAX_LENGTH } from './limits.ts'

const FIELD_ID_MAX_LENGTH = 200

/** The id of a field. Answers are keyed by it, so it may not begin with an underscore, as the control keys do. */
export const FieldId = v.pipe(
  v.string('the id must be a string'),
  v.nonEmpty('the id must not be empty'),
  v.maxLength(FIELD_ID_MAX_LENGTH, `the id must have at most ${FIELD_ID_MAX_LENGTH} characters`),
  v.regex(/^(?!_)/, 'the id must not start with "_"'),
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

const Rule = v.object(
  {
    field: v.string('the field of a visibleWhen rule must be a string'),
    operator: v.picklist(ruleOperators, (issue) => `visibleWhen has the unknown operator ${issue.received}`),
    value: v.nullish(v.unknown(), null),
  },
  'each visibleWhen rule must be an object with field, operator and value',
)

const VisibleWhen = v.object(
  {
    match: v.picklist(['all', 'any'], 'visibleWhen must have match "all" or "any"'),
    rules: v.pipe(
      v.array(Rule, 'visibleWhen must have a list of rules'),
      v.nonEmpty('visibleWhen must have at least one rule'),
    ),
  },
  'visibleWhen must be an object with match and rules',
)

/** The settings of a field that can be submitted here; null counts as omitted. Messages complete `Field "a": ….` */
export const FieldSettings = v.object(
  {
    id: FieldId,
    type: v.picklist([...answerTypes, ...displayTypes]),
    label: v.string('label must be a string'),
    required: v.nullish(v.boolean('required must be true or false'), false),
    placeholder: optionalText('placeholder'),
    helpText: optionalText('helpText'),
    options: v.nullish(v.array(Option, 'options must be a list'), []),
    min: optionalBound('min'),
    max: optionalBound('max'),
    minLength: optionalLength('minLength'),
    maxLength: optionalLength('maxLength'),
    contactField: v.nullish(
      v.picklist(contactFields, `contactField must be one of ${contactFields.join(', ')}`),
      null,
    ),
    visibleWhen: v.nullish(VisibleWhen, null),
  },
  (issue) => `${issue.expected} is missing`,
)

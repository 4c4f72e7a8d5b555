import type { RuleOperator } from '../../../../../../domain/forms/definition/definition.ts'
import { takesList } from '../../../../../../domain/forms/definition/rules/rules.ts'
import { listOf } from '../../../../../../domain/text/json.ts'
import { CheckField, SelectField, TextField } from '../../../kit/input/field.tsx'
import { withGiven } from '../../../kit/input/choices.ts'
import type { Subject } from '../state/conditions.ts'
import { DraftField, LinesField, numberIn, textOf } from './controls.tsx'

interface RuleValueProps {
  readonly subject: Subject
  readonly operator: RuleOperator
  readonly value: unknown
  readonly onValue: (value: unknown) => void
}

/** What an answer is compared with: a choice where the subject has choices, else what its type takes. */
export function RuleValue({ subject, operator, value, onValue }: RuleValueProps) {
  const { type, options } = subject
  const isList = takesList(operator, subject)
  const read = type === 'number' ? numberIn : (text: string): unknown => text
  switch (type) {
    case 'single_choice':
    case 'multiple_choice':
      return isList ? (
        <SomeOptions options={options} value={value} onValue={onValue} />
      ) : (
        <SelectField
          label="Value"
          value={textOf(value)}
          onValue={onValue}
          options={withGiven(textOf(value), options)}
        />
      )
    case 'boolean':
    case 'consent':
      return (
        <SelectField
          label="Value"
          value={textOf(value)}
          onValue={(text) => {
            onValue(text === 'true')
          }}
          options={withGiven(textOf(value), [
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ])}
        />
      )
    case 'date':
      if (!isList) return <TextField label="Value" type="date" value={textOf(value)} onValue={onValue} />
      break
    case 'short_text':
    case 'long_text':
    case 'email':
    case 'phone':
    case 'number':
  }
  if (isList)
    return (
      <LinesField
        label="Values"
        hint="Each in a line of its own."
        lines={listOf(value)}
        onLines={(lines) => {
          onValue(lines.map(read))
        }}
      />
    )
  return (
    <DraftField
      label="Value"
      value={textOf(value)}
      onTyped={(text) => {
        onValue(read(text) ?? '')
      }}
    />
  )
}

interface SomeOptionsProps {
  readonly options: Subject['options']
  readonly value: unknown
  readonly onValue: (value: unknown) => void
}

function SomeOptions({ options, value, onValue }: SomeOptionsProps) {
  const given = listOf(value)
  const strays = given.filter((member) => !options.some((option) => option.value === member))
  const choices = [
    ...options.map((option) => ({ name: option.label, member: option.value })),
    ...strays.map((member) => ({ name: `${textOf(member)} (not an option)`, member })),
  ]
  return (
    <fieldset>
      <legend>Values</legend>
      {choices.map(({ name, member }) => (
        <CheckField
          key={name}
          label={name}
          isChecked={given.includes(member)}
          onChecked={(isChecked) => {
            onValue(isChecked ? [...given, member] : given.filter((other) => other !== member))
          }}
        />
      ))}
    </fieldset>
  )
}

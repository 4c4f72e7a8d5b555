import { ruleOperators, type RuleOperator } from '../../../../../domain/forms/definition/definition.ts'
import { fieldPath } from '../../../../../domain/forms/definition/problem.ts'
import { takesList } from '../../../../../domain/forms/definition/rules/rules.ts'
import { takesNoValue } from '../../../../../domain/forms/definition/rules/visibility.ts'
import { fieldSetting, titleOf } from '../../../../../domain/forms/editing/meanings.ts'
import { listOf, membersOf } from '../../../../../domain/text/json.ts'
import { Button, calls } from '../../kit/button.tsx'
import { CheckField, SelectField, TextField, withGiven } from '../../kit/field.tsx'
import {
  addRule,
  operatorsFor,
  removeRule,
  setOperator,
  setSubject,
  subjectsFor,
  type Subject,
} from './conditions.ts'
import { DraftField, LinesField, numberIn, saidAt, textOf, useEditor, useSaid } from './controls.tsx'
import { partAt, setPart } from './editing.ts'

/** When a field is shown. */
export function ConditionEditor({ index }: { readonly index: number }) {
  const { editing, change } = useEditor()
  const path = fieldPath(index, 'visibleWhen')
  const condition = partAt(editing.form, path) ?? null
  const rules = listOf(membersOf(condition).rules)
  const subjects = subjectsFor(editing.form, index)
  const own = useSaid(path)
  const inRules = useSaid([...path, 'rules'])
  const inMatch = useSaid([...path, 'match'])
  const isNew = condition === null
  return (
    <fieldset class="condition">
      <legend>Condition</legend>
      <p class="hint">{isNew ? 'The field is always shown.' : fieldSetting('visibleWhen').meaning}</p>
      {[own, inRules].map(({ error }) => error !== null && <p class="error">{error}</p>)}
      {!isNew && (
        <SelectField
          label="Show the field when"
          error={inMatch.error}
          value={textOf(membersOf(condition).match)}
          onValue={(match) => {
            change(setPart([...path, 'match'], match))
          }}
          options={[
            { value: 'all', label: 'all of these hold' },
            { value: 'any', label: 'any of these holds' },
          ]}
        />
      )}
      {rules.map((_, place) => (
        <RuleRow key={place} index={index} place={place} />
      ))}
      {subjects.length === 0 ? (
        isNew && <p class="hint">A condition needs another field that takes an answer.</p>
      ) : (
        <div class="buttons">
          <Button onClick={calls(change, addRule(index))}>
            {isNew ? 'Add a condition' : 'Add another comparison'}
          </Button>
          {!isNew && <Button onClick={calls(change, setPart(path, undefined))}>Remove the condition</Button>}
        </div>
      )}
    </fieldset>
  )
}

interface RuleRowProps {
  readonly index: number
  readonly place: number
}

function RuleRow({ index, place }: RuleRowProps) {
  const { editing, findings, change } = useEditor()
  const path = fieldPath(index, 'visibleWhen', 'rules', place)
  const rule = membersOf(partAt(editing.form, path))
  const subjects = subjectsFor(editing.form, index)
  const subject = subjects.find(({ id }) => id === rule.field)
  const operator = ruleOperators.find((known) => known === rule.operator)
  const operators: readonly string[] = subject === undefined ? [] : operatorsFor(subject)
  const number = place + 1
  const { error } = saidAt(findings, path, true)
  return (
    <div class="rule" role="group" aria-label={`Comparison ${number}`}>
      <div class="setting-grid">
        <SelectField
          label="Answer to"
          value={textOf(rule.field)}
          onValue={(id) => {
            change(setSubject(index, place, id))
          }}
          options={withGiven(
            textOf(rule.field),
            subjects.map(({ id, label }) => ({ value: id, label })),
          )}
        />
        <SelectField
          label="Compared by"
          value={textOf(rule.operator)}
          onValue={(name) => {
            const chosen = ruleOperators.find((known) => known === name)
            if (chosen !== undefined) change(setOperator(index, place, chosen))
          }}
          options={withGiven(
            textOf(rule.operator),
            operators.map((value) => ({ value, label: titleOf(value).toLowerCase() })),
          )}
        />
        {subject !== undefined && operator !== undefined && !takesNoValue(operator) && (
          <RuleValue
            subject={subject}
            operator={operator}
            value={rule.value}
            onValue={(value) => {
              change(setPart([...path, 'value'], value))
            }}
          />
        )}
      </div>
      {error !== null && <p class="error">{error}</p>}
      <Button
        kind="quiet"
        aria-label={`Remove comparison ${number}`}
        onClick={calls(change, removeRule(index, place))}
      >
        Remove
      </Button>
    </div>
  )
}

interface RuleValueProps {
  readonly subject: Subject
  readonly operator: RuleOperator
  readonly value: unknown
  readonly onValue: (value: unknown) => void
}

/** What an answer is compared with: a choice where the subject has choices, else what its type takes. */
function RuleValue({ subject, operator, value, onValue }: RuleValueProps) {
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

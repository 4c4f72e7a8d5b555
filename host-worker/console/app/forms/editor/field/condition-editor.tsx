import { ruleOperators } from '../../../../../../domain/forms/definition/definition.ts'
import { fieldPath } from '../../../../../../domain/forms/definition/problem.ts'
import { takesNoValue } from '../../../../../../domain/forms/definition/rules/visibility.ts'
import { fieldMeaning, titleOf } from '../../../../../../domain/forms/editing/meanings.ts'
import { listOf, membersOf } from '../../../../../../domain/text/json.ts'
import { Button } from '../../../kit/button.tsx'
import { SelectField } from '../../../kit/input/field.tsx'
import {
  addRule,
  operatorsFor,
  removeRule,
  setOperator,
  setSubject,
  subjectsFor,
} from '../state/conditions.ts'
import { withGiven } from '../../../kit/input/choices.ts'
import { saidAt, useEditor, useSaid } from './context.ts'
import { textOf } from './controls.tsx'
import { setPart } from '../state/editing.ts'
import { partAt } from '../state/form-json.ts'
import { RuleValue } from './rule-value.tsx'

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
      <p class="hint">{isNew ? 'The field is always shown.' : fieldMeaning('visibleWhen')}</p>
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
          <Button
            onClick={() => {
              change(addRule(index))
            }}
          >
            {isNew ? 'Add a condition' : 'Add another comparison'}
          </Button>
          {!isNew && (
            <Button
              onClick={() => {
                change(setPart(path, undefined))
              }}
            >
              Remove the condition
            </Button>
          )}
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
        onClick={() => {
          change(removeRule(index, place))
        }}
      >
        Remove
      </Button>
    </div>
  )
}

import {
  hasEffect,
  limitedSettings,
  fieldPath,
  takesList,
} from '../../../../domain/forms/language/compile.ts'
import {
  answerTypes,
  displayTypes,
  ruleOperators,
  type RuleOperator,
} from '../../../../domain/forms/language/definition.ts'
import { takesNoValue } from '../../../../domain/forms/language/visibility.ts'
import { fieldSetting } from '../../../../domain/forms/language/check.ts'
import { titleOf } from '../../../../domain/text/words.ts'
import { listOf, membersOf } from '../../../../domain/text/encoding.ts'
import { Button, CheckField, SelectField, TextField, calls, withGiven } from '../kit/controls.tsx'
import {
  addOption,
  addRule,
  operatorsFor,
  relabelField,
  relabelOption,
  removeRule,
  renameField,
  revalueOption,
  setOperator,
  setSubject,
  subjectsFor,
  type Subject,
} from './changes.ts'
import {
  DraftField,
  LinesField,
  OtherSettings,
  Setting,
  numberIn,
  saidAt,
  textOf,
  useEditor,
  useSaid,
} from './controls.tsx'
import {
  changeForm,
  fieldsIn,
  firstOptions,
  partAt,
  setPart,
  withMoved,
  withPart,
  type Change,
} from './editing.ts'

/** Every setting of a field that has an effect on its type, and what else is stored in it. */
export function FieldSettings({ index }: { readonly index: number }) {
  const { editing } = useEditor()
  const { type } = membersOf(fieldsIn(editing.form)[index])
  const known = fieldTypes.find((one) => one === type)
  const shown = known === undefined ? [] : limitedSettings.filter((setting) => hasEffect(setting, known))
  const whole = useSaid(fieldPath(index))
  return (
    <div class="field-settings">
      {whole.error !== null && <p class="error">{whole.error}</p>}
      <Setting
        path={fieldPath(index, 'label')}
        of={fieldSetting('label')}
        onText={(label) => relabelField(index, label)}
      />
      <div class="setting-grid">
        <Setting
          path={fieldPath(index, 'type')}
          of={fieldSetting('type')}
          onText={(chosen) => retypeField(index, chosen)}
        />
        <Setting
          path={fieldPath(index, 'id')}
          of={fieldSetting('id')}
          label="Identifier"
          isLeft
          onText={(id) => renameField(index, id)}
        />
      </div>
      <div class="setting-grid">
        {shown.map((setting) =>
          setting === 'options' ? (
            <OptionsEditor key={setting} index={index} />
          ) : (
            <Setting
              key={setting}
              path={fieldPath(index, setting)}
              of={fieldSetting(setting)}
              isDate={type === 'date'}
            />
          ),
        )}
      </div>
      <ConditionEditor index={index} />
      <OtherSettings path={fieldPath(index)} known={['id', 'type', 'label', 'visibleWhen', ...shown]} />
    </div>
  )
}

/** Every type of fields. */
export const fieldTypes = [...answerTypes, ...displayTypes]

/** Gives a field another type, with options when it needs some and has none. */
function retypeField(index: number, type: string): Change {
  return changeForm((form) => {
    const typed = withPart(form, fieldPath(index, 'type'), type)
    const { options } = membersOf(fieldsIn(form)[index])
    const known = fieldTypes.find((one) => one === type)
    const needsOptions = known !== undefined && hasEffect('options', known) && listOf(options).length === 0
    return needsOptions ? withPart(typed, fieldPath(index, 'options'), firstOptions) : typed
  })
}

/** The options of a choice in the order that visitors see: what each is called, and the value that is stored for it. */
function OptionsEditor({ index }: { readonly index: number }) {
  const { editing, findings, change } = useEditor()
  const path = fieldPath(index, 'options')
  const options = listOf(partAt(editing.form, path))
  const { error } = useSaid(path)
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= options.length) return
    change(changeForm((form) => withPart(form, path, withMoved(listOf(partAt(form, path)), from, to))))
  }
  return (
    <fieldset class="options-editor">
      <legend>Options</legend>
      {error !== null && <p class="error">{error}</p>}
      <ol class="plain-list">
        {options.map((option, place) => {
          const { value, label } = membersOf(option)
          const name = textOf(label) || textOf(value) || `option ${place + 1}`
          return (
            <li key={place} class="option-row">
              <TextField
                label={`Option ${place + 1}`}
                value={textOf(label)}
                error={saidAt(findings, [...path, place, 'label']).error}
                onValue={(text) => {
                  change(relabelOption(index, place, text))
                }}
              />
              <DraftField
                label={`Value ${place + 1}`}
                value={textOf(value)}
                spellcheck={false}
                error={
                  saidAt(findings, [...path, place]).error ??
                  saidAt(findings, [...path, place, 'value']).error
                }
                onLeft={(text) => {
                  change(revalueOption(index, place, text))
                }}
              />
              <div class="buttons row-buttons">
                <Button aria-label={`Move ${name} up`} onClick={calls(move, place, place - 1)}>
                  ↑
                </Button>
                <Button aria-label={`Move ${name} down`} onClick={calls(move, place, place + 1)}>
                  ↓
                </Button>
                <Button
                  aria-label={`Remove ${name}`}
                  onClick={calls(change, setPart([...path, place], undefined))}
                >
                  ×
                </Button>
              </div>
            </li>
          )
        })}
      </ol>
      <Button onClick={calls(change, addOption(index))}>Add an option</Button>
    </fieldset>
  )
}

/** When a field is shown. */
function ConditionEditor({ index }: { readonly index: number }) {
  const { editing, change } = useEditor()
  const path = fieldPath(index, 'visibleWhen')
  const condition = partAt(editing.form, path) ?? null
  const rules = listOf(membersOf(condition).rules)
  const subjects = subjectsFor(editing.form, index)
  const own = useSaid(path)
  const inRules = useSaid([...path, 'rules'])
  const inMatch = useSaid([...path, 'match'])
  const isNew = condition === null
  const { meaning, none } = fieldSetting('visibleWhen')
  return (
    <fieldset class="condition">
      <legend>Condition</legend>
      <p class="hint">{isNew ? none : meaning}</p>
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

function RuleRow({ index, place }: { readonly index: number; readonly place: number }) {
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

import type { LimitedSetting } from '../../../../../domain/forms/definition/applicable.ts'
import { hasEffect, limitedSettings } from '../../../../../domain/forms/definition/applicable.ts'
import {
  answerTypes,
  contactFields,
  displayTypes,
} from '../../../../../domain/forms/definition/definition.ts'
import { fieldPath } from '../../../../../domain/forms/definition/problem.ts'
import { fieldMeaning, titleOf } from '../../../../../domain/forms/editing/meanings.ts'
import { listOf, membersOf } from '../../../../../domain/text/json.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField, withGiven } from '../../kit/field.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import {
  CheckSetting,
  DraftField,
  NumberSetting,
  OtherSettings,
  TextSetting,
  saidAt,
  textOf,
  useEditor,
  useSaid,
  useSetting,
} from './controls.tsx'
import { changeForm, fieldsIn, firstOptions, partAt, setPart, withMoved, withPart } from './editing.ts'
import { addOption, relabelField, relabelOption, renameField, revalueOption } from './names.ts'

interface FieldSettingsProps {
  readonly index: number
}

/** Every setting of a field that has an effect on its type, and what else is stored in it. */
export function FieldSettings({ index }: FieldSettingsProps) {
  const { editing } = useEditor()
  const { type } = membersOf(fieldsIn(editing.form)[index])
  const known = fieldTypes.find((one) => one === type)
  const shown = known === undefined ? [] : limitedSettings.filter((setting) => hasEffect(setting, known))
  const whole = useSaid(fieldPath(index))
  return (
    <div class="field-settings">
      {whole.error !== null && <p class="error">{whole.error}</p>}
      <LabelField index={index} />
      <div class="setting-grid">
        <TypeField index={index} />
        <IdField index={index} />
      </div>
      <div class="setting-grid">
        {shown.map((setting) => (
          <Setting key={setting} index={index} setting={setting} isDate={type === 'date'} />
        ))}
      </div>
      <ConditionEditor index={index} />
      <OtherSettings path={fieldPath(index)} known={['id', 'type', 'label', 'visibleWhen', ...shown]} />
    </div>
  )
}

/** Every type of fields. */
export const fieldTypes = [...answerTypes, ...displayTypes]

function LabelField({ index }: FieldSettingsProps) {
  const { change } = useEditor()
  const { value, shown } = useSetting({
    path: fieldPath(index, 'label'),
    label: 'Label',
    hint: fieldMeaning('label'),
  })
  return (
    <TextField
      {...shown}
      value={textOf(value)}
      onValue={(label) => {
        change(relabelField(index, label))
      }}
    />
  )
}

function IdField({ index }: FieldSettingsProps) {
  const { change } = useEditor()
  const { value, shown } = useSetting({
    path: fieldPath(index, 'id'),
    label: 'Identifier',
    hint: fieldMeaning('id'),
  })
  return (
    <DraftField
      {...shown}
      value={textOf(value)}
      spellcheck={false}
      onLeft={(id) => {
        change(renameField(index, id))
      }}
    />
  )
}

function TypeField({ index }: FieldSettingsProps) {
  const { change } = useEditor()
  const { value, shown } = useSetting({
    path: fieldPath(index, 'type'),
    label: 'Type',
    hint: fieldMeaning('type'),
  })
  const given = textOf(value)
  return (
    <SelectField
      {...shown}
      value={given}
      onValue={(type) => {
        change(
          changeForm((form) => {
            const typed = withPart(form, fieldPath(index, 'type'), type)
            const { options } = membersOf(fieldsIn(form)[index])
            const known = fieldTypes.find((one) => one === type)
            const needsOptions =
              known !== undefined && hasEffect('options', known) && listOf(options).length === 0
            return needsOptions ? withPart(typed, fieldPath(index, 'options'), firstOptions) : typed
          }),
        )
      }}
      options={withGiven(
        given,
        fieldTypes.map((type) => ({ value: type, label: titleOf(type) })),
      )}
    />
  )
}

interface OneSettingProps {
  readonly index: number
  readonly setting: LimitedSetting
  readonly isDate: boolean
}

/** The control of a setting that the type of the field has. */
function Setting({ index, setting, isDate }: OneSettingProps) {
  const props = { path: fieldPath(index, setting), label: titleOf(setting), hint: fieldMeaning(setting) }
  switch (setting) {
    case 'required':
      return <CheckSetting {...props} />
    case 'placeholder':
    case 'helpText':
      return <TextSetting {...props} />
    case 'options':
      return <OptionsEditor index={index} />
    case 'min':
    case 'max':
      return isDate ? <DateSetting {...props} /> : <NumberSetting {...props} />
    case 'minLength':
    case 'maxLength':
      return <NumberSetting {...props} />
    case 'contactField':
      return <ContactSetting {...props} />
  }
}

type ControlProps = Parameters<typeof TextSetting>[0]

function DateSetting(props: ControlProps) {
  const { value, set, shown } = useSetting(props)
  const text = textOf(value)
  // A browser's control for days shows nothing of a text that is none.
  const isShown = text === '' || /^\d{4}-\d\d-\d\d$/.test(text)
  return (
    <TextField
      {...shown}
      type={isShown ? 'date' : 'text'}
      value={text}
      onValue={(day) => {
        set(day === '' ? undefined : day)
      }}
    />
  )
}

function ContactSetting(props: ControlProps) {
  const { value, set, shown } = useSetting(props)
  const given = textOf(value)
  return (
    <SelectField
      {...shown}
      value={given}
      onValue={(name) => {
        set(name === '' ? undefined : name)
      }}
      options={withGiven(given, [
        { value: '', label: 'None' },
        ...contactFields.map((name) => ({ value: name, label: titleOf(name) })),
      ])}
    />
  )
}

/** What can be chosen, in its order. */
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
                <Button
                  aria-label={`Move ${name} up`}
                  onClick={() => {
                    move(place, place - 1)
                  }}
                >
                  ↑
                </Button>
                <Button
                  aria-label={`Move ${name} down`}
                  onClick={() => {
                    move(place, place + 1)
                  }}
                >
                  ↓
                </Button>
                <Button
                  aria-label={`Remove ${name}`}
                  onClick={() => {
                    change(setPart([...path, place], undefined))
                  }}
                >
                  ×
                </Button>
              </div>
            </li>
          )
        })}
      </ol>
      <Button
        onClick={() => {
          change(addOption(index))
        }}
      >
        Add an option
      </Button>
    </fieldset>
  )
}

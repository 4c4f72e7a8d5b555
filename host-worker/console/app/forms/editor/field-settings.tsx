import { hasEffect, limitedSettings } from '../../../../../domain/forms/definition/applicable.ts'
import { answerTypes, displayTypes } from '../../../../../domain/forms/definition/definition.ts'
import { fieldPath } from '../../../../../domain/forms/definition/problem.ts'
import { fieldSetting } from '../../../../../domain/forms/editing/meanings.ts'
import { listOf, membersOf } from '../../../../../domain/text/json.ts'
import { Button, calls } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import { DraftField, OtherSettings, Setting, saidAt, textOf, useEditor, useSaid } from './controls.tsx'
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

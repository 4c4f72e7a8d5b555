import { fieldPath } from '../../../../../../domain/forms/definition/problem.ts'
import { listOf, membersOf } from '../../../../../../domain/text/json.ts'
import { Button } from '../../../kit/button.tsx'
import { TextField } from '../../../kit/input/field.tsx'
import { saidAt, useEditor, useSaid } from './context.ts'
import { DraftField, textOf } from './controls.tsx'
import { changeForm, setPart } from '../state/editing.ts'
import { partAt, withMoved, withPart } from '../state/form-json.ts'
import { addOption, relabelOption, revalueOption } from '../state/names.ts'

/** What can be chosen, in its order. */
export function OptionsEditor({ index }: { readonly index: number }) {
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

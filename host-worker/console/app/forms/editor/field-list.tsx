import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { fieldPath } from '../../../../../domain/forms/definition/problem.ts'
import { titleOf } from '../../../../../domain/forms/editing/meanings.ts'
import { isJsonObject, membersOf } from '../../../../../domain/text/json.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Empty } from '../../kit/states.tsx'
import { TheirText } from '../../kit/their-text.tsx'
import { saidAt, useEditor, useSaid } from './context.ts'
import { textOf } from './controls.tsx'
import { addField, fieldsIn, moveField, removeField, toggleField } from './editing.ts'
import { FieldSettings, fieldTypes } from './field-settings.tsx'
import { useDrag } from './use-drag.ts'

/** The fields of the form in their order, each with its settings when it is open. */
export function FieldList() {
  const { editing, change } = useEditor()
  const [said, setSaid] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const movedKey = useRef<number | null>(null)
  const isAdded = useRef(false)
  const fields = fieldsIn(editing.form)
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= fields.length) return
    movedKey.current = editing.keys[from] ?? null
    change(moveField(from, to))
    setSaid(`${nameOf(fields[from], from)} is field ${to + 1} of ${fields.length} now.`)
  }
  const { dragged, handleProps } = useDrag(list, move)
  useLayoutEffect(() => {
    // The browser forgets the focus of what is put elsewhere in the page.
    if (movedKey.current !== null) document.getElementById(handleId(movedKey.current))?.focus()
    movedKey.current = null
    if (isAdded.current) list.current?.querySelector<HTMLElement>(':scope > li:last-child input')?.focus()
    isAdded.current = false
  })
  const isBroken = useSaid(['fields']).error
  return (
    <Card title="Fields">
      <p class="visually-hidden" role="status">
        {said}
      </p>
      {isBroken !== null && <p class="error">{isBroken}</p>}
      {fields.length === 0 && <Empty title="This form has no fields yet.">Add the first one below.</Empty>}
      <ol class="field-list" ref={list}>
        {fields.map((field, index) => {
          const key = editing.keys[index] ?? index
          return (
            <li key={key} class={rowClass(index, dragged)}>
              <div class="field-row">
                <button
                  type="button"
                  id={handleId(key)}
                  class="drag-handle"
                  aria-label={`Move ${nameOf(field, index)}: drag it, or press the arrow keys`}
                  {...handleProps(index)}
                  onKeyDown={(event) => {
                    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
                    if (step === undefined) return
                    event.preventDefault()
                    move(index, index + step)
                  }}
                >
                  ⠿
                </button>
                <FieldHead field={field} index={index} fieldKey={key} />
                <Button
                  kind="quiet"
                  aria-label={`Move ${nameOf(field, index)} up`}
                  onClick={() => {
                    move(index, index - 1)
                  }}
                >
                  ↑
                </Button>
                <Button
                  kind="quiet"
                  aria-label={`Move ${nameOf(field, index)} down`}
                  onClick={() => {
                    move(index, index + 1)
                  }}
                >
                  ↓
                </Button>
                <Button
                  kind="quiet"
                  aria-label={`Remove ${nameOf(field, index)}`}
                  onClick={() => {
                    change(removeField(index))
                    setSaid(`${nameOf(field, index)} was removed.`)
                    document.getElementById(ADD_ID)?.focus()
                  }}
                >
                  ×
                </Button>
              </div>
              {editing.open === key && isJsonObject(field) && <FieldSettings index={index} />}
              {editing.open === key && !isJsonObject(field) && (
                <p class="field-settings">
                  This is no field: <code>{JSON.stringify(field)}</code>. Remove it, or mend it in the source.
                </p>
              )}
            </li>
          )
        })}
      </ol>
      <AddField
        onAdded={() => {
          isAdded.current = true
          setSaid('The field was added behind the others.')
        }}
      />
    </Card>
  )
}

interface FieldHeadProps {
  readonly field: unknown
  readonly index: number
  readonly fieldKey: number
}

/** The button that shows and hides the settings of a field. */
function FieldHead({ field, index, fieldKey }: FieldHeadProps) {
  const { editing, findings, change } = useEditor()
  const { error, warning } = saidAt(findings, fieldPath(index), true)
  const { type, required, visibleWhen } = membersOf(field)
  return (
    <button
      type="button"
      id={headId(fieldKey)}
      class="field-head"
      aria-expanded={editing.open === fieldKey}
      onClick={() => {
        change(toggleField(fieldKey))
      }}
    >
      <span class="field-name">
        <TheirText text={nameOf(field, index)} />
      </span>
      <span class="badges">
        <span class="soft">{titleOf(textOf(type))}</span>
        {required === true && <Badge>required</Badge>}
        {(visibleWhen ?? null) !== null && <Badge>conditional</Badge>}
        {error !== null && <Badge tone="bad">problem</Badge>}
        {error === null && warning !== '' && <Badge tone="waiting">note</Badge>}
      </span>
    </button>
  )
}

function AddField({ onAdded }: { readonly onAdded: () => void }) {
  const { change } = useEditor()
  const [type, setType] = useState<string>(fieldTypes[0] ?? '')
  return (
    <form
      class="add-field"
      onSubmit={(event) => {
        event.preventDefault()
        const chosen = fieldTypes.find((one) => one === type)
        if (chosen === undefined) return
        onAdded()
        change(addField(chosen))
      }}
    >
      <SelectField
        label="New field"
        value={type}
        onValue={setType}
        options={fieldTypes.map((value) => ({ value, label: titleOf(value) }))}
      />
      <Button type="submit" id={ADD_ID}>
        Add the field
      </Button>
    </form>
  )
}

/** What a field is called in the editor: by its label, else its id, else its place. */
export function nameOf(field: unknown, index: number): string {
  const { label, id } = membersOf(field)
  const named = [label, id].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof named === 'string' ? named : `Field ${index + 1}`
}

const ADD_ID = 'add-field'
const handleId = (key: number) => `field-handle-${key}`

/** The id of the button that opens a field. */
export const headId = (key: number) => `field-head-${key}`

function rowClass(index: number, dragged: ReturnType<typeof useDrag>['dragged']): string {
  if (dragged === null) return ''
  if (index === dragged.from) return 'dragged'
  if (index !== dragged.to) return ''
  return dragged.to < dragged.from ? 'drop-before' : 'drop-after'
}

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { titleOf } from '../../../../../domain/forms/editing/meanings.ts'
import { isJsonObject } from '../../../../../domain/text/json.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { SelectField } from '../../kit/input/field.tsx'
import { Empty } from '../../kit/states.tsx'
import { useEditor, useSaid } from './field/context.ts'
import { FieldSettings, fieldTypes } from './field/field-settings.tsx'
import { FieldRow, handleId, nameOf } from './field-row.tsx'
import { addField, fieldsIn, moveField, removeField } from './state/editing.ts'
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
              <FieldRow
                field={field}
                index={index}
                fieldKey={key}
                handle={handleProps(index)}
                onMove={move}
                onRemove={() => {
                  change(removeField(index))
                  setSaid(`${nameOf(field, index)} was removed.`)
                  document.getElementById(ADD_ID)?.focus()
                }}
              />
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

const ADD_ID = 'add-field'

function rowClass(index: number, dragged: ReturnType<typeof useDrag>['dragged']): string {
  if (dragged === null) return ''
  if (index === dragged.from) return 'dragged'
  if (index !== dragged.to) return ''
  return dragged.to < dragged.from ? 'drop-before' : 'drop-after'
}

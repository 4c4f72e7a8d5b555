import type { HTMLAttributes, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { fieldPath } from '../../../../domain/forms/language/compile.ts'
import { titleOf } from '../../../../domain/text/words.ts'
import { isJsonObject, membersOf } from '../../../../domain/text/encoding.ts'
import { Button, SelectField, calls } from '../kit/controls.tsx'
import { Badge, Card, Empty, TheirText } from '../kit/page.tsx'
import { saidAt, textOf, useEditor, useSaid } from './controls.tsx'
import { addField, bringBack, fieldsIn, moveField, removeField, toggleField } from './editing.ts'
import { FieldSettings, fieldTypes } from './field-settings.tsx'

/** The fields of the form in their order, each with its settings when it is open. */
export function FieldList() {
  const { editing, change } = useEditor()
  const [said, setSaid] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const movedKey = useRef<number | null>(null)
  const isAdded = useRef(false)
  const isRemoved = useRef(false)
  const last = editing.removed.at(-1)
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
    // Its label, which was made up, is selected: what is typed takes its place.
    if (isAdded.current)
      list.current?.querySelector<HTMLInputElement>(':scope > li:last-child input')?.select()
    isAdded.current = false
    if (isRemoved.current) document.getElementById(BACK_ID)?.focus()
    isRemoved.current = false
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
                  isRemoved.current = true
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
      {last !== undefined && (
        <p class="list-buttons">
          <Button
            id={BACK_ID}
            onClick={() => {
              change(bringBack())
              setSaid(`${nameOf(last.field, last.index)} is back.`)
              document.getElementById(ADD_ID)?.focus()
            }}
          >
            Bring back “{nameOf(last.field, last.index)}”
          </Button>
        </p>
      )}
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

const BACK_ID = 'bring-back-field'

function rowClass(index: number, dragged: ReturnType<typeof useDrag>['dragged']): string {
  if (dragged === null) return ''
  if (index === dragged.from) return 'dragged'
  if (index !== dragged.to) return ''
  return dragged.to < dragged.from ? 'drop-before' : 'drop-after'
}

interface FieldRowProps extends FieldHeadProps {
  /** What drags the field. */
  readonly handle: HandleProps
  readonly onMove: (from: number, to: number) => void
  readonly onRemove: () => void
}

/** A field in the list: what moves it, what opens it, and what removes it. */
function FieldRow({ field, index, fieldKey, handle, onMove, onRemove }: FieldRowProps) {
  const name = nameOf(field, index)
  const moveBy = (step: number) => (): void => {
    onMove(index, index + step)
  }
  return (
    <div class="field-row">
      <button
        type="button"
        id={handleId(fieldKey)}
        class="drag-handle"
        aria-label={`Move ${name}: drag it, or press the arrow keys`}
        {...handle}
        onKeyDown={(event) => {
          const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
          if (step === undefined) return
          event.preventDefault()
          onMove(index, index + step)
        }}
      >
        ⠿
      </button>
      <FieldHead field={field} index={index} fieldKey={fieldKey} />
      <Button kind="quiet" aria-label={`Move ${name} up`} onClick={moveBy(-1)}>
        ↑
      </Button>
      <Button kind="quiet" aria-label={`Move ${name} down`} onClick={moveBy(1)}>
        ↓
      </Button>
      <Button kind="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
        ×
      </Button>
    </div>
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
      onClick={calls(change, toggleField(fieldKey))}
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

/** What a field is called in the editor: by its label, else its id, else its place. */
function nameOf(field: unknown, index: number): string {
  const { label, id } = membersOf(field)
  const named = [label, id].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof named === 'string' ? named : `Field ${index + 1}`
}

/** The id of what moves a field. */
const handleId = (key: number) => `field-handle-${key}`

/** The id of what opens a field. */
export const headId = (key: number) => `field-head-${key}`

/** What a handle listens to. */
type HandleProps = Pick<
  HTMLAttributes<HTMLButtonElement>,
  'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel'
>

/** Something that is dragged from one place of a list to another. */
interface Dragged {
  readonly from: number
  /** Where it would be. */
  readonly to: number
}

/** Drags the items of a list by mouse, finger or pen. Keys are for the list to handle. */
function useDrag(
  list: RefObject<HTMLElement>,
  onMove: (from: number, to: number) => void,
): { readonly dragged: Dragged | null; readonly handleProps: (index: number) => HandleProps } {
  const [dragged, setDragged] = useState<Dragged | null>(null)
  const latest = useRef(dragged)
  const set = (next: Dragged | null): void => {
    latest.current = next
    setDragged(next)
  }
  return {
    dragged,
    handleProps: (index) => ({
      onPointerDown: (event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        set({ from: index, to: index })
      },
      onPointerMove: ({ clientY }) => {
        if (latest.current !== null) set({ from: index, to: placeAt(list.current, index, clientY) })
      },
      onPointerUp: () => {
        const moved = latest.current
        set(null)
        if (moved !== null && moved.from !== moved.to) onMove(moved.from, moved.to)
      },
      onPointerCancel: () => {
        set(null)
      },
    }),
  }
}

/** The place that an item has at a height of the window: behind all others whose middle is above it. */
function placeAt(list: HTMLElement | null, from: number, y: number): number {
  const others = [...(list?.children ?? [])].filter((_, index) => index !== from)
  return others.filter((item) => {
    const { top, height } = item.getBoundingClientRect()
    return top + height / 2 < y
  }).length
}

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CheckField, SelectField, TextField } from '../kit/controls.tsx'
import { DialogText, FormDialog } from '../kit/dialog.tsx'
import { Badge, countText, momentText, type Tone } from '../kit/page.tsx'
import type { Column } from '../kit/table.tsx'
import { orReload, problemOf, type Failure } from '../service/client.ts'
import { useAction } from '../service/hooks.ts'
import type { DeclaredField } from '../service/operation-fields.ts'
import type { BodyOf, CallOf, ItemOf, ListId, OperationId, Row } from '../service/operations.ts'
import {
  choicesOf,
  fieldsOf,
  givenOf,
  itemFieldOf,
  partsOf,
  valuesOf,
  wordsIn,
  writtenOf,
  type Written,
} from './written.ts'

/** The fields of a form while a person writes into them. */
export interface Writing {
  readonly fields: readonly DeclaredField[]
  readonly written: Written
  readonly write: (name: string, text: string) => void
  /** Forgets what was written. */
  readonly discard: () => void
}

/** @param stored what is changed; left out: something new is made */
export function useWriting(fields: readonly DeclaredField[], stored?: Row): Writing {
  const [draft, setDraft] = useState<Written>({})
  return {
    fields,
    written: { ...writtenOf(fields, stored), ...draft },
    write: (name, text) => {
      setDraft((before) => ({ ...before, [name]: text }))
    },
    discard: () => {
      setDraft({})
    },
  }
}

interface OperationFieldsProps {
  readonly writing: Writing
  /** Shown at the field that it names; left out: it is shown elsewhere. */
  readonly failure?: Failure | null
}

/** A control for each declared field, by its kind. */
export function OperationFields({ writing, failure = null }: OperationFieldsProps) {
  const controls = writing.fields.map((field) => {
    const problem = problemOf(failure, field.name)
    const [first = field, ...others] = partsOf(field)
    const isThere = others.length > 0 && writing.written[first.name] !== ''
    return (
      <>
        <Control field={first} writing={writing} error={isThere ? null : problem} />
        {isThere &&
          others.map((part) => <Control key={part.name} field={part} writing={writing} error={problem} />)}
      </>
    )
  })
  return <>{controls}</>
}

/** Whether a failure is said at one of the fields. */
export function isPlaced(failure: Failure | null, fields: readonly DeclaredField[]): boolean {
  return fields.some(({ name }) => problemOf(failure, name) !== null)
}

const inputTypes = {
  several: 'text',
  text: 'text',
  number: 'number',
  moment: 'datetime-local',
  group: 'text',
} as const

interface ControlProps extends Pick<OperationFieldsProps, 'writing'> {
  readonly field: DeclaredField
  readonly error: string | null
}

function Control(control: ControlProps) {
  const { field, error } = control
  const { written, write } = control.writing
  const { name, label, hint, kind, isOptional, choices } = field
  const shared = {
    ...{ label, hint, error, value: written[name] ?? '' },
    onValue: (text: string) => {
      write(name, text)
    },
  }
  if (kind === 'truth')
    return (
      <CheckField
        label={label}
        isChecked={shared.value === 'true'}
        onChecked={(isChecked) => {
          write(name, isChecked ? 'true' : '')
        }}
      />
    )
  if (kind === 'choice') return <SelectField {...shared} options={choicesOf(field)} />
  if (kind === 'several' && choices !== undefined) return <SeveralChecks {...control} />
  return <TextField {...shared} type={inputTypes[kind]} required={isOptional !== true && kind === 'text'} />
}

/** A check for each of several choices. What is written has the words of those that are taken. */
function SeveralChecks({ field, writing: { written, write }, error }: ControlProps) {
  const { name, label, choices = [], whenEmpty } = field
  const taken = wordsIn(written[name] ?? '')
  return (
    <>
      <fieldset>
        <legend>{label}</legend>
        {choices.map((choice) => (
          <CheckField
            key={choice.value}
            label={choice.label}
            isChecked={taken.includes(choice.value)}
            onChecked={(isTaken) => {
              // What is no choice here, as a webhook's event of tests, stays.
              const others = taken.filter((value) => value !== choice.value)
              write(name, (isTaken ? [...others, choice.value] : others).join(' '))
            }}
          />
        ))}
      </fieldset>
      {error !== null && <p class="note failed">{whenEmpty ?? error}</p>}
    </>
  )
}

interface OperationDialogProps<Id extends OperationId> {
  /** The operation that it does, with the fields of its body, or of its query when it has no body. */
  readonly of: Id
  readonly call?: Pick<CallOf<Id>, 'params' | 'replaces'>
  /** Those that are shown, in this order; left out: all. */
  readonly fields?: readonly DeclaredField[]
  /** The settings with which the fields begin. All of them are sent, and each says itself what is wrong with it. */
  readonly stored?: Row
  readonly title: string
  readonly verb: string
  readonly kind?: 'primary' | 'danger'
  /** What it says before its fields. */
  readonly children?: ComponentChildren
  /** Throws a failure for an answer that is none. */
  readonly check?: (answer: BodyOf<Id>) => void
  /** Called when somebody else was faster. */
  readonly onOvertaken?: () => void
  readonly onDone: (answer: BodyOf<Id>) => void
  readonly onClose: () => void
}

/** The dialog of an operation, made from its declaration. */
export function OperationDialog<Id extends OperationId>(props: OperationDialogProps<Id>) {
  const { of, call, fields, stored, children, check, onOvertaken, onDone, ...dialog } = props
  const part = fieldsOf(of, 'body').length > 0 ? 'body' : 'query'
  const writing = useWriting(fields ?? fieldsOf(of, part), stored)
  const action = useAction(async (client) => {
    const given = (stored === undefined ? givenOf : valuesOf)(writing.fields, writing.written)
    const answering = client.call(of, { ...call, [part]: given })
    const answer = await (onOvertaken === undefined ? answering : orReload(answering, onOvertaken))
    check?.(answer)
    return answer
  }, onDone)
  const placed = stored === undefined ? null : action.failure
  return (
    <FormDialog {...dialog} action={isPlaced(placed, writing.fields) ? { ...action, failure: null } : action}>
      {children !== undefined && <DialogText>{children}</DialogText>}
      <OperationFields writing={writing} failure={placed} />
    </FormDialog>
  )
}

/** A column of a declared field: shown as its kind is, unless it says otherwise. */
type DeclaredColumn<Id extends ListId> = Partial<Column<ItemOf<Id>>> & {
  readonly of: keyof ItemOf<Id> & string
  /** How each value looks that is a state. */
  readonly tones?: Readonly<Record<string, Tone>>
}

/** The columns of a list, made from the declaration of its items, beside those that are written. */
export function columnsOf<Id extends ListId>(
  id: Id,
  columns: readonly ((keyof ItemOf<Id> & string) | DeclaredColumn<Id> | Column<ItemOf<Id>>)[],
): readonly Column<ItemOf<Id>>[] {
  return columns.map((column) => {
    if (typeof column === 'object' && !('of' in column)) return column
    const declared: DeclaredColumn<Id> = typeof column === 'string' ? { of: column } : column
    const { of, tones, ...said } = declared
    const field = itemFieldOf(id, of)
    const cell = (row: ItemOf<Id>): ComponentChildren => shownAs(field, row[of], tones)
    return { title: field.label, cell, ...said }
  })
}

/** A stored value in words. */
export function shownAs(
  { kind, none = '', choices = [] }: DeclaredField,
  value: unknown,
  tones?: Record<string, Tone>,
) {
  if (value === null || value === undefined) return none
  if (kind === 'number' && typeof value === 'number') return countText(value)
  if (Array.isArray(value)) return value.join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (tones !== undefined) return <Badge tone={tones[text] ?? 'neutral'}>{text}</Badge>
  if (kind === 'moment') return momentText(text)
  return choices.find((choice) => choice.value === text)?.label ?? text
}

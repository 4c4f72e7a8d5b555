import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CheckField, SelectField, TextField } from '../kit/controls.tsx'
import { DialogText, FormDialog } from '../kit/dialog.tsx'
import { Badge, countText, momentText, type Tone } from '../kit/page.tsx'
import type { Column } from '../kit/table.tsx'
import { problemOf, type Failure } from '../service/client.ts'
import { useAction } from '../service/hooks.ts'
import type { DeclaredField } from '../service/operation-fields.ts'
import type { BodyOf, CallOf, ItemOf, ListId, OperationId, Row } from '../service/operations.ts'
import { choicesOf, fieldsOf, givenOf, itemFieldOf, partsOf, writtenOf, type Written } from './written.ts'

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

function Control({ field, writing: { written, write }, error }: ControlProps) {
  const { name, label, hint, kind, isOptional } = field
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
  return <TextField {...shared} type={inputTypes[kind]} required={isOptional !== true && kind === 'text'} />
}

interface OperationDialogProps<Id extends OperationId> {
  /** The operation that it does, with the fields of its body, or of its query when it has no body. */
  readonly of: Id
  readonly call?: Pick<CallOf<Id>, 'params'>
  /** Those that are shown, in this order; left out: all. */
  readonly names?: readonly (keyof NonNullable<CallOf<Id>['body']> & string)[]
  readonly title: string
  readonly verb: string
  readonly kind?: 'primary' | 'danger'
  /** What it says before its fields. */
  readonly children?: ComponentChildren
  /** Throws a failure for an answer that is none. */
  readonly check?: (answer: BodyOf<Id>) => void
  readonly onDone: (answer: BodyOf<Id>) => void
  readonly onClose: () => void
}

/** The dialog of an operation, made from its declaration. */
export function OperationDialog<Id extends OperationId>(props: OperationDialogProps<Id>) {
  const { of, call, names, children, check, onDone, ...dialog } = props
  const body = fieldsOf(of, 'body', names)
  const writing = useWriting(body.length > 0 ? body : fieldsOf(of, 'query'))
  const action = useAction(async (client) => {
    const given = givenOf(writing.fields, writing.written)
    // The compiler cannot relate the id to its inputs here.
    const made = { ...call, [body.length > 0 ? 'body' : 'query']: given } as CallOf<Id>
    const answer = await client.call(of, made)
    check?.(answer)
    return answer
  }, onDone)
  return (
    <FormDialog {...dialog} action={action}>
      {children !== undefined && <DialogText>{children}</DialogText>}
      <OperationFields writing={writing} />
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
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (tones !== undefined) return <Badge tone={tones[text] ?? 'neutral'}>{text}</Badge>
  if (kind === 'moment') return momentText(text)
  return choices.find((choice) => choice.value === text)?.label ?? text
}

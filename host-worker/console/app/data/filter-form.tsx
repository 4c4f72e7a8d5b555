import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import { wordsOf } from './columns.ts'
import type { Parameter } from './contract.ts'

type Chosen = Readonly<Record<string, string>>

interface FilterFormProps {
  readonly filters: readonly Parameter[]
  readonly chosen: Chosen
  readonly onChosen: (chosen: Chosen) => void
}

/** A control for each filter of a collection, by its type in the contract document. */
export function FilterForm({ filters, chosen, onChosen }: FilterFormProps) {
  const [draft, setDraft] = useState(chosen)
  return (
    <form
      class="card filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault()
        onChosen(draft)
      }}
    >
      {filters.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={draft[filter.name] ?? ''}
          onValue={(value) => {
            setDraft((before) => ({ ...before, [filter.name]: value }))
          }}
        />
      ))}
      <div class="buttons">
        <Button type="submit">Filter</Button>
        {Object.keys(chosen).length > 0 && (
          <Button
            onClick={() => {
              onChosen({})
            }}
          >
            Clear
          </Button>
        )}
      </div>
    </form>
  )
}

interface FilterFieldProps {
  readonly filter: Parameter
  readonly value: string
  readonly onValue: (value: string) => void
}

function FilterField({ filter: { name, schema = {} }, value, onValue }: FilterFieldProps) {
  const label = wordsOf(name)
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.filter((one) => one !== null)
  if (choices !== undefined) {
    const named = choices.map((choice) => ({ value: choice, label: CHOICES[choice] ?? wordsOf(choice) }))
    return (
      <SelectField
        label={label}
        value={value}
        onValue={onValue}
        options={[{ value: '', label: schema.default === undefined ? 'Any' : 'Default' }, ...named]}
      />
    )
  }
  if (schema.format === 'date-time')
    return (
      <TextField
        label={label}
        type="date"
        value={dayOf(value)}
        onValue={(day) => {
          onValue(startOf(day))
        }}
      />
    )
  return <TextField label={label} value={value} onValue={onValue} />
}

const CHOICES: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' }

/** The start of a day in the reader's time zone, as an instant of UTC; empty: no day. */
export function startOf(day: string): string {
  const at = new Date(`${day}T00:00:00`)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

/** The day of an instant in the reader's time zone; empty: no instant. */
export function dayOf(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ''
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(at.getFullYear()).padStart(4, '0')}-${month ?? ''}-${day ?? ''}`
}

import { useEffect, useState } from 'preact/hooks'
import { Button, calls } from '../kit/button.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import { wordsOf } from './addresses.ts'
import type { Chosen, Parameter } from './contract.ts'
import { dayOf, startOf } from './contract.ts'

interface FilterFormProps {
  readonly filters: readonly Parameter[]
  readonly chosen: Chosen
  readonly onChosen: (chosen: Chosen) => void
}

/** A control for each filter of a collection, by its type in the contract document. */
export function FilterForm({ filters, chosen, onChosen }: FilterFormProps) {
  const [draft, setDraft] = useState(chosen)
  useEffect(() => {
    setDraft(chosen)
  }, [JSON.stringify(chosen)])
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
        {Object.keys(chosen).length > 0 && <Button onClick={calls(onChosen, {})}>Clear</Button>}
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
  const number = schema.type === 'integer' ? ({ inputMode: 'numeric' } as const) : {}
  return <TextField {...number} label={label} value={value} onValue={onValue} />
}

const CHOICES: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' }

import { Field } from '../kit/field.tsx'
import type { ColumnReading } from '../../../../domain/imports/file/header.ts'
import type { ImportKind, Mapping } from './import-kind.ts'

/** The choice to leave a column out. No field has this name. */
const LEFT_OUT = '-'

interface MappingProps {
  readonly kind: ImportKind
  readonly columns: readonly ColumnReading[]
  /** The first row of the file. */
  readonly sample: readonly string[]
  readonly mapping: Mapping
  readonly onMapping: (mapping: Mapping) => void
}

/** The columns of a file, each with the field that it means. */
export function MappingTable({ kind, columns, sample, mapping, onMapping }: MappingProps) {
  const options = [
    { value: '', label: 'Choose a field' },
    { value: LEFT_OUT, label: 'Leave it out' },
    ...kind.columns.map(({ name, isRequired }) => ({
      value: name,
      label: isRequired ? `${name} (required)` : name,
    })),
  ]
  return (
    <div class="mapping">
      {columns.map(({ column, field, problem }, index) =>
        column === '' ? null : (
          <Field
            key={`${index} ${column}`}
            label={column}
            hint={sampleText(sample[index])}
            error={problem === null || field !== '' ? problem : 'Choose its field, or leave it out.'}
          >
            {(attributes) => (
              <select
                {...attributes}
                value={field ?? LEFT_OUT}
                onChange={({ currentTarget: { value } }) => {
                  onMapping(withField(mapping, column, value))
                }}
              >
                {options.map((option) => (
                  <option key={option.value} value={option.value}>
                    {option.label}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ),
      )}
    </div>
  )
}

const SAMPLE_MAX_LENGTH = 60

function sampleText(value: string | undefined): string {
  if (value === undefined || value === '') return 'Empty in the first row'
  return value.length <= SAMPLE_MAX_LENGTH ? value : `${value.slice(0, SAMPLE_MAX_LENGTH)}…`
}

function withField(mapping: Mapping, column: string, chosen: string): Mapping {
  const others = Object.entries(mapping).filter(([name]) => name !== column)
  const field = chosen === LEFT_OUT ? '' : chosen
  return Object.fromEntries(chosen === '' ? others : [...others, [column, field]])
}

/** What keeps a file from being sent; null: nothing. */
export function mappingProblem(columns: readonly ColumnReading[]): string | null {
  const open = columns.filter(({ column, problem }) => column !== '' && problem !== null)
  if (open.length === 0) return null
  return `Say first what ${open.length === 1 ? 'this column means' : 'these columns mean'}: ${open.map(({ column }) => column).join(', ')}.`
}

/** The required fields that no column gives. */
export function missingFields({ columns: known }: ImportKind, columns: readonly ColumnReading[]): string[] {
  const given = new Set(columns.map(({ field }) => field))
  return known.filter(({ name, isRequired }) => isRequired && !given.has(name)).map(({ name }) => name)
}

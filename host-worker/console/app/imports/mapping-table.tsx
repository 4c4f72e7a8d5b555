import { SelectField } from '../kit/input/field.tsx'
import type { ColumnReading } from '../../../../domain/imports/file/header.ts'
import type { ImportKind, Mapping } from './import-kind.ts'

/** The choice to leave a column out. No field has this name. */
const LEFT_OUT = '-'

interface MappingProps {
  readonly kind: ImportKind
  readonly columns: readonly ColumnReading[]
  /** The first row of the file. */
  readonly sample: readonly string[]
  readonly onMapping: (mapping: Mapping) => void
}

/** The columns of a file, each with the field that it means. */
export function MappingTable({ kind, columns, sample, onMapping }: MappingProps) {
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
          <SelectField
            key={`${index} ${column}`}
            label={column}
            hint={sampleText(sample[index])}
            error={problem === null || field !== '' ? problem : 'Choose its field, or leave it out.'}
            value={field ?? LEFT_OUT}
            onValue={(value) => {
              onMapping(withField(columns, column, value))
            }}
            options={options}
          />
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

/**
 * The mapping with another field for a column. It names the fields of all others too: one that differs from it only in
 * spaces or case would otherwise follow it.
 */
function withField(columns: readonly ColumnReading[], column: string, chosen: string): Mapping {
  const others = named(columns).filter((other) => other.column !== column && isKnown(other))
  const pairs = others.map((other) => [other.column, other.field ?? ''] as const)
  const field = chosen === LEFT_OUT ? '' : chosen
  return Object.fromEntries(chosen === '' ? pairs : [...pairs, [column, field] as const])
}

/** The mapping that leaves out every column of which nobody has said what it means. */
export function leavingOthersOut(columns: readonly ColumnReading[]): Mapping {
  return Object.fromEntries(named(columns).map((one) => [one.column, isKnown(one) ? (one.field ?? '') : '']))
}

function named(columns: readonly ColumnReading[]): readonly ColumnReading[] {
  return columns.filter(({ column }) => column !== '')
}

/** Whether it is clear what a column means. One without a name means nothing. */
export function isKnown({ column, problem }: ColumnReading): boolean {
  return column === '' || problem === null
}

/** The required fields that no column gives. */
export function missingFields({ columns: known }: ImportKind, columns: readonly ColumnReading[]): string[] {
  const given = new Set(columns.map(({ field }) => field))
  return known.filter(({ name, isRequired }) => isRequired && !given.has(name)).map(({ name }) => name)
}

import { csvOf } from '../../../../../domain/text/csv.ts'
import { Button } from '../button.tsx'
import { saveText } from './save-text.ts'

type Row = Readonly<Record<string, unknown>>

/** Saves rows as a file for a spreadsheet, with a head of their keys. */
export function saveRows(name: string, rows: readonly Row[]): void {
  const keys = Object.keys(rows[0] ?? {})
  saveText(`${name}.csv`, 'text/csv', csvOf([keys, ...rows.map((row) => keys.map((key) => row[key]))]))
}

/** A button that saves the rows that are shown. */
export function CsvButton({ name, rows }: { readonly name: string; readonly rows: readonly Row[] }) {
  return (
    <Button
      aria-label={`Download CSV of ${name}`}
      onClick={() => {
        saveRows(name, rows)
      }}
    >
      Download CSV
    </Button>
  )
}

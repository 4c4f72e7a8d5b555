import { csvOf } from '../../../../domain/text/csv.ts'
import { Button } from './button.tsx'

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

/** Gives the browser a text, in one part or several, to save as a file. */
export function saveText(name: string, type: string, ...parts: readonly string[]): void {
  download(name, new Blob([...parts], { type }))
}

/** Has the browser save a file, as if a link to it had been followed. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the content by then, however slow it is.
  setTimeout(() => {
    URL.revokeObjectURL(url)
  }, 60_000)
}

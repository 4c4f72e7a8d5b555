import { SelectField } from '../kit/input/field.tsx'
import { FileField } from '../kit/input/file-field.tsx'
import type { ImportFormat, ImportKind } from './import-kind.ts'
import { KindColumns } from './kind-columns.tsx'
import type { Choice } from './use-choice.ts'

const formats: readonly { readonly value: ImportFormat; readonly label: string }[] = [
  { value: 'csv', label: 'Spreadsheet: CSV or TSV' },
  { value: 'ndjson', label: 'NDJSON: a JSON object a line' },
]

const ACCEPTED = '.csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv,text/tab-separated-values'

/** The choice of what is imported: the kind of its rows, a file, and how that is written. */
export function Chooser({
  kinds,
  choice,
}: {
  readonly kinds: readonly ImportKind[]
  readonly choice: Choice
}) {
  const { kind, file, format, chooseKind, chooseFile, chooseFormat } = choice
  return (
    <>
      <SelectField
        label="What the rows are"
        value={kind?.kind ?? ''}
        onValue={chooseKind}
        options={[
          { value: '', label: 'Choose' },
          ...kinds.map(({ kind: name }) => ({ value: name, label: name })),
        ]}
      />
      {kind !== null && <KindColumns kind={kind} />}
      {kind !== null && (
        <FileField
          label={file === null ? 'Choose a file' : 'Choose another file, or the corrected one'}
          accept={ACCEPTED}
          file={file}
          onFile={chooseFile}
        />
      )}
      {kind !== null && file !== null && (
        <SelectField label="How it is written" value={format} onValue={chooseFormat} options={formats} />
      )}
    </>
  )
}

import type { ImportOutcome } from '../../../../domain/imports/file/transfer-file.ts'
import { outcomeText } from '../../../../domain/imports/file/outcome-text.ts'
import { ProblemList } from './problem-list.tsx'

interface OutcomeProps {
  readonly outcome: ImportOutcome
  readonly file: File
}

/** What an import came to. */
export function Outcome({ outcome, file }: OutcomeProps) {
  if (outcome.kind === 'invalid') return <ProblemList file={file} problems={outcome.problems} />
  if (outcome.kind === 'stopped')
    return (
      <p class="note failed" role="alert">
        {outcome.message}
      </p>
    )
  return (
    <div class="stack" role="status">
      <p class="note good">Rows: {outcomeText(outcome)}.</p>
      {outcome.warnings.length > 0 && (
        <ul>
          {outcome.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

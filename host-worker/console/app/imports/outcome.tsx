import { useEffect, useState } from 'preact/hooks'
import { lineTexts } from '../../../../domain/imports/file/lines.ts'
import type { RightImport } from '../../../../domain/imports/file/skip-problems.ts'
import {
  FILE_PROBLEMS_MAX,
  endOfCheck,
  outcomeText,
  type ImportOutcome,
  type ImportSource,
} from '../../../../domain/imports/file/transfer.ts'
import { Button, calls, saveText } from '../kit/controls.tsx'
import type { SentFile } from './send-file.ts'

/** A file that was sent, and what came of it. */
export interface EndedRun extends RightImport {
  readonly sent: SentFile
}

/** What an import came to. */
export function Outcome({
  ended: { sent, outcome, skipped, wrong },
  onSkip,
}: {
  readonly ended: EndedRun
  /** Skips the rows with problems; null: they are skipped already, or cannot be. */
  readonly onSkip: (() => void) | null
}) {
  if (outcome.kind === 'invalid')
    return <ProblemList source={sent.source} problems={outcome.problems} onSkip={onSkip} />
  if (outcome.kind === 'stopped')
    return (
      <p class="note failed" role="alert">
        {outcome.message}
      </p>
    )
  return (
    <div class="stack" role="status">
      <p class="note good">Rows: {outcomeText(outcome, skipped)}.</p>
      {skipped > 0 && (
        <div class="buttons">
          <Button onClick={calls(saveText, problemsName(sent.file), 'text/csv', wrong)}>
            Download the rows with problems
          </Button>
        </div>
      )}
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

function problemsName({ name }: File): string {
  return name.replace(/(?:\.\w+)?$/, '.problems.csv')
}

type Problems = Extract<ImportOutcome, { readonly kind: 'invalid' }>['problems']

const LINE_SHOWN_MAX = 300

/** What is wrong with a file: each line with its text, and all of its problems. */
function ProblemList({
  source,
  problems,
  onSkip,
}: {
  readonly source: ImportSource
  readonly problems: Problems
  readonly onSkip: (() => void) | null
}) {
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>(new Map())
  const lines = [...new Set(problems.map(({ line }) => line))]
  useEffect(() => {
    let isLatest = true
    // Without the texts, the problems still say everything.
    lineTexts(source, new Set(lines)).then(
      (found) => {
        if (isLatest) setTexts(found)
      },
      () => undefined,
    )
    return () => {
      isLatest = false
    }
  }, [source, problems])
  return (
    <div class="stack">
      <p class="note failed" role="alert">
        Nothing was imported: the file has{' '}
        {problems.length === 1 ? 'a problem' : `${problems.length} problems`}.{' '}
        {endOfCheck(problems.length, FILE_PROBLEMS_MAX)} Correct them in the file, save it, and choose it
        again.
      </p>
      {onSkip !== null && (
        <div class="buttons">
          <Button onClick={onSkip}>Skip these rows, and check the others</Button>
        </div>
      )}
      <ol class="problems">
        {lines.map((line) => (
          <li key={line}>
            <h3>Line {line}</h3>
            {texts.has(line) && <pre>{texts.get(line)?.slice(0, LINE_SHOWN_MAX)}</pre>}
            <ul>
              {problems
                .filter((problem) => problem.line === line)
                .map(({ field, message }) => (
                  <li key={`${field} ${message}`}>
                    <code>{field}</code> {message}
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ol>
    </div>
  )
}

import { useEffect, useState } from 'preact/hooks'
import { lineTexts } from '../../../../domain/imports/file/line-texts.ts'
import { FILE_PROBLEMS_MAX } from '../../../../domain/imports/file/limits.ts'
import { endOfCheck } from '../../../../domain/imports/file/outcome-text.ts'
import type { ImportOutcome } from '../../../../domain/imports/file/transfer-file.ts'
import { sourceOf } from './file-source.ts'

type Problems = Extract<ImportOutcome, { readonly kind: 'invalid' }>['problems']

const LINE_SHOWN_MAX = 300

/** What is wrong with a file: each line with its text, and all of its problems. */
export function ProblemList({ file, problems }: { readonly file: File; readonly problems: Problems }) {
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>(new Map())
  const lines = [...new Set(problems.map(({ line }) => line))]
  useEffect(() => {
    let isLatest = true
    // Without the texts, the problems still say everything.
    lineTexts(sourceOf(file), new Set(lines)).then(
      (found) => {
        if (isLatest) setTexts(found)
      },
      () => undefined,
    )
    return () => {
      isLatest = false
    }
  }, [file, problems])
  return (
    <div class="stack">
      <p class="note failed" role="alert">
        Nothing was imported: the file has{' '}
        {problems.length === 1 ? 'a problem' : `${problems.length} problems`}.{' '}
        {endOfCheck(problems.length, FILE_PROBLEMS_MAX)} Correct them in the file, save it, and choose it
        again.
      </p>
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

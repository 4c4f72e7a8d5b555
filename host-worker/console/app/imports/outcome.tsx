import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { lineTexts } from '../../../../domain/imports/file/lines.ts'
import type { FileImport, PlacedProblem } from '../../../../domain/imports/file/skip-problems.ts'
import {
  FILE_PROBLEMS_MAX,
  endOfCheck,
  isOfSetting,
  outcomeText,
  type ImportSource,
} from '../../../../domain/imports/file/transfer.ts'
import { Button, calls, saveText } from '../kit/controls.tsx'
import { countText } from '../kit/page.tsx'
import { organizationPath } from '../organizations/organization.ts'
import { useMay } from '../session.tsx'
import type { SentFile } from './send-file.ts'

/** A file that was sent, and what came of it. */
export interface EndedRun extends FileImport {
  readonly sent: SentFile
}

/** What an import came to. */
export function Outcome({
  ended: { sent, outcome, skipped, wrong, problems },
  onSkip,
}: {
  readonly ended: EndedRun
  /** Skips the rows with problems; null: they are skipped already, or cannot be. */
  readonly onSkip: (() => void) | null
}) {
  if (outcome.kind === 'invalid') return <Refused sent={sent} problems={problems} onSkip={onSkip} />
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
      {outcome.kind === 'checked' && skipped > 0 && (
        <>
          <p class="soft">
            {problems.length > FILE_PROBLEMS_MAX
              ? `The first ${FILE_PROBLEMS_MAX} of ${countText(problems.length)} problems of the rows that would be skipped:`
              : 'What is wrong with the rows that would be skipped:'}
          </p>
          <OfSetting organizationId={sent.organizationId} problems={problems} />
          <ProblemList source={sent.source} problems={problems.slice(0, FILE_PROBLEMS_MAX)} />
        </>
      )}
    </div>
  )
}

function problemsName({ name }: File): string {
  return name.replace(/(?:\.\w+)?$/, '.problems.csv')
}

interface ProblemsProps {
  readonly problems: readonly PlacedProblem[]
}

/** Why a file was not imported, and what helps. */
function Refused({
  sent: { organizationId, source },
  problems,
  onSkip,
}: ProblemsProps & { readonly sent: SentFile; readonly onSkip: (() => void) | null }) {
  return (
    <div class="stack">
      <p class="note failed" role="alert">
        Nothing was imported: the file has{' '}
        {problems.length === 1 ? 'a problem' : `${problems.length} problems`}.{' '}
        {endOfCheck(problems.length, FILE_PROBLEMS_MAX)}{' '}
        {!problems.some(isOfSetting) && 'Correct them in the file, save it, and choose it again.'}
      </p>
      <OfSetting organizationId={organizationId} problems={problems}>
        {' '}
        Correct whatever else is wrong in the file, save it, and choose it again.
      </OfSetting>
      {onSkip !== null && (
        <div class="buttons">
          <Button onClick={onSkip}>Skip these rows, and check the others</Button>
        </div>
      )}
      <ProblemList source={source} problems={problems} />
    </div>
  )
}

/** What helps when the phone numbers are right, and of another country than the organization's. */
function OfSetting({
  organizationId,
  problems,
  children,
}: ProblemsProps & { readonly organizationId: string; readonly children?: ComponentChildren }) {
  const mayChange = useMay('organizations.save')
  if (!problems.some(isOfSetting)) return null
  return (
    <div class="note">
      <p>
        Are the phone numbers of another country?{' '}
        {mayChange ? (
          <>
            Change “Country of phone numbers” in the{' '}
            <Link href={organizationPath(organizationId, '/settings')}>Settings</Link> and come back: the file
            and what its columns mean are kept here.
          </>
        ) : (
          'Ask whoever runs this service to change that country in the settings of the organization.'
        )}
        {children}
      </p>
    </div>
  )
}

const LINE_SHOWN_MAX = 300

/** What is wrong with a file: each line with its text, and all of its problems. */
function ProblemList({ source, problems }: ProblemsProps & { readonly source: ImportSource }) {
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
  }, [source, lines.join(' ')])
  return (
    <ol class="problems">
      {lines.map((line) => (
        <li key={line}>
          <h3>Line {line}</h3>
          {texts.has(line) && <pre>{texts.get(line)?.slice(0, LINE_SHOWN_MAX)}</pre>}
          <ul>
            {problems
              .filter((problem) => problem.line === line)
              .map(({ head, message }) => (
                <li key={`${head} ${message}`}>
                  <code>{head}</code> {message}
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}

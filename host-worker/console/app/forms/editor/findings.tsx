import type { Finding } from '../../../../../domain/forms/editing/findings.ts'
import { pathText } from '../../../../../domain/forms/definition/problem.ts'
import { Badge } from '../../kit/badge.tsx'

const kinds = {
  refused: { tone: 'bad', text: 'cannot be saved' },
  hosted: { tone: 'bad', text: 'cannot be published' },
  warning: { tone: 'waiting', text: 'note' },
} as const

interface FindingsProps {
  readonly findings: readonly Finding[]
  /** Leads to the place. */
  readonly onOpen: (finding: Finding) => void
}

/** Everything that there is to say about the form; each sentence leads to its place. */
export function Findings({ findings, onOpen }: FindingsProps) {
  const wrong = findings.filter(({ kind }) => kind !== 'warning').length
  const notes = findings.length - wrong
  const counts = [countOf(wrong, 'problem'), countOf(notes, 'note')].filter((text) => text !== '')
  return (
    <section aria-label="Problems">
      <p role="status" class={findings.length === 0 ? 'visually-hidden' : 'findings-head'}>
        {findings.length === 0 ? 'There are no problems.' : counts.join(', ')}
      </p>
      {findings.length > 0 && (
        <ul class="plain-list findings">
          {findings.map((finding) => {
            const { tone, text } = kinds[finding.kind]
            return (
              <li key={`${pathText(finding.path)} ${finding.sentence}`}>
                <Badge tone={tone}>{text}</Badge>{' '}
                <button
                  type="button"
                  class="finding"
                  onClick={() => {
                    onOpen(finding)
                  }}
                >
                  {finding.sentence}
                </button>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function countOf(count: number, noun: string): string {
  if (count === 0) return ''
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

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
  return (
    <section aria-label="Problems">
      <p role="status" class={findings.length === 0 ? 'visually-hidden' : 'findings-head'}>
        {findings.length === 0
          ? 'There are no problems.'
          : `${wrong === 0 ? 'No problem' : wrong === 1 ? 'One problem' : `${wrong} problems`}, ${findings.length - wrong} notes`}
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

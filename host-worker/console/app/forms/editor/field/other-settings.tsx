import type { FormPath } from '../../../../../../domain/forms/definition/problem.ts'
import { membersOf } from '../../../../../../domain/text/json.ts'
import { Button } from '../../../kit/button.tsx'
import { saidAt, useEditor } from './context.ts'
import { setPart } from '../state/editing.ts'
import { partAt } from '../state/form-json.ts'

interface OtherSettingsProps {
  /** Where the settings are. */
  readonly path: FormPath
  /** Those that have controls of their own. */
  readonly known: readonly string[]
}

/** What else is stored in a part of a form. It stays as it is, until somebody removes it. */
export function OtherSettings({ path, known }: OtherSettingsProps) {
  const { editing, findings, change } = useEditor()
  const others = Object.entries(membersOf(partAt(editing.form, path))).filter(
    ([name, value]) => !known.includes(name) && value !== null,
  )
  if (others.length === 0) return null
  return (
    <div class="other-settings">
      <p>Other settings are stored here. They stay as they are.</p>
      <ul class="plain-list">
        {others.map(([name, value]) => {
          const { error, warning } = saidAt(findings, [...path, name], true)
          return (
            <li key={name}>
              <code>
                {name}: {JSON.stringify(value)}
              </code>{' '}
              <Button
                kind="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => {
                  change(setPart([...path, name], undefined))
                }}
              >
                Remove
              </Button>
              {error !== null && <p class="error">{error}</p>}
              {warning !== '' && <p class="hint">{warning}</p>}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

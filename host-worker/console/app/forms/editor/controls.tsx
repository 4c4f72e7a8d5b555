import type { ComponentProps } from 'preact'
import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { parseNumber } from '../../../../../domain/forms/definition/answers/readings.ts'
import type { FormPath } from '../../../../../domain/forms/definition/problem.ts'
import { sentencesOf } from '../../../../../domain/forms/definition/problem.ts'
import type { Finding } from '../../../../../domain/forms/editing/findings.ts'
import { membersOf } from '../../../../../domain/text/json.ts'
import { Button } from '../../kit/button.tsx'
import { CheckField, TextArea, TextField } from '../../kit/field.tsx'
import type { Change, Editing } from './editing.ts'
import { partAt, setPart } from './editing.ts'

/** A control of a setting: where the setting is, what it is called and what it means. */
interface SettingProps {
  readonly path: FormPath
  readonly label: string
  readonly hint?: string
}

/** A setting's value, with what there is to say about it. */
export function useSetting({ path, label, hint = '' }: SettingProps) {
  const { editing, change } = useEditor()
  const { error, warning } = useSaid(path)
  const shownHint = [hint, warning].filter((text) => text !== '').join(' ')
  return {
    value: partAt(editing.form, path),
    set: (value: unknown) => {
      change(setPart(path, value))
    },
    shown: { label, error, ...(shownHint === '' ? {} : { hint: shownHint }) },
  }
}

/** Any value as the text of a control. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A setting that is a text. Emptied, it is removed, unless the form needs it. */
export function TextSetting({
  isNeeded = false,
  isLong = false,
  ...props
}: SettingProps & { readonly isNeeded?: boolean; readonly isLong?: boolean }) {
  const { value, set, shown } = useSetting(props)
  const Control = isLong ? TextArea : TextField
  return (
    <Control
      {...shown}
      value={textOf(value)}
      onValue={(text) => {
        set(text === '' && !isNeeded ? undefined : text)
      }}
    />
  )
}

/** A setting that is yes or no. No is the same as nothing. */
export function CheckSetting(props: SettingProps) {
  const { value, set, shown } = useSetting(props)
  return (
    <div>
      <CheckField
        label={shown.label}
        isChecked={value === true}
        onChecked={(isChecked) => {
          set(isChecked ? true : undefined)
        }}
      />
      {shown.hint !== undefined && <p class="hint">{shown.hint}</p>}
      {shown.error !== null && <p class="error">{shown.error}</p>}
    </div>
  )
}

type DraftProps = Omit<ComponentProps<typeof TextField>, 'onValue'> & {
  /** Called with every text that is typed. */
  readonly onTyped?: (text: string) => void
  /** Called with the text when the control is left. */
  readonly onLeft?: (text: string) => void
}

/** A line whose text stays as it is typed until it is left, although the value that it means may be written otherwise. */
export function DraftField({ value, onTyped, onLeft, ...rest }: DraftProps) {
  const [draft, setDraft] = useState<string | null>(null)
  const leave = (): void => {
    if (draft !== null && draft !== value) onLeft?.(draft)
    setDraft(null)
  }
  return (
    <TextField
      {...rest}
      value={draft ?? value}
      onValue={(text) => {
        setDraft(text)
        onTyped?.(text)
      }}
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key === 'Enter') leave()
      }}
    />
  )
}

/** The number that a text means; a text that is none stays one, and is complained of. */
export function numberIn(text: string): unknown {
  return text.trim() === '' ? undefined : (parseNumber(text) ?? text)
}

/** A setting that is a number. */
export function NumberSetting(props: SettingProps) {
  const { value, set, shown } = useSetting(props)
  return (
    <DraftField
      {...shown}
      inputMode="numeric"
      value={textOf(value)}
      onTyped={(text) => {
        set(numberIn(text))
      }}
    />
  )
}

interface LinesProps {
  readonly label: string
  readonly hint?: string
  readonly error?: string | null
  readonly lines: readonly unknown[]
  readonly onLines: (lines: readonly string[]) => void
}

/** Several texts, each in a line of its own. */
export function LinesField({ lines, onLines, ...rest }: LinesProps) {
  const [draft, setDraft] = useState<string | null>(null)
  return (
    <TextArea
      {...rest}
      rows={Math.max(2, lines.length + 1)}
      value={draft ?? lines.map(textOf).join('\n')}
      onValue={(text) => {
        setDraft(text)
        onLines(
          text
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== ''),
        )
      }}
      onBlur={() => {
        setDraft(null)
      }}
    />
  )
}

/** What the parts of the editor share. */
export interface EditorContent {
  readonly editing: Editing
  readonly change: (change: Change) => void
  readonly findings: readonly Finding[]
}

export const EditorContext = createContext<EditorContent | null>(null)

/** The form that is being edited, for components within the editor. */
export function useEditor(): EditorContent {
  const content = useContext(EditorContext)
  if (content === null) throw new Error('Nothing is being edited')
  return content
}

/** What there is to say at a control. */
interface Said {
  /** What is wrong; null: nothing. */
  readonly error: string | null
  /** What may not be meant; empty: nothing. */
  readonly warning: string
}

/** Whether a path leads into a part of the form, or to it. */
function isWithin(path: FormPath, part: FormPath): boolean {
  return part.every((key, index) => path[index] === key)
}

/**
 * What there is to say about a part of the form.
 * @param isDeep whether also about what is within it
 */
export function saidAt(findings: readonly Finding[], part: FormPath, isDeep = false): Said {
  const here = findings.filter(({ path }) => isWithin(path, part) && (isDeep || path.length === part.length))
  const wrong = sentencesOf(here.filter(({ kind }) => kind !== 'warning'))
  const doubtful = sentencesOf(here.filter(({ kind }) => kind === 'warning'))
  return { error: wrong.length === 0 ? null : wrong.join(' '), warning: doubtful.join(' ') }
}

/** What there is to say at the control of a part of the form. */
export function useSaid(part: FormPath, isDeep = false): Said {
  return saidAt(useEditor().findings, part, isDeep)
}

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

import { createContext, type ComponentProps } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { parseNumber } from '../../../../domain/forms/language/answers.ts'
import { sentencesOf, type FormPath } from '../../../../domain/forms/language/compile.ts'
import type { Finding, DeclaredSetting } from '../../../../domain/forms/language/check.ts'
import { listOf, membersOf } from '../../../../domain/text/encoding.ts'
import { Button, CheckField, SelectField, TextArea, TextField, calls, withGiven } from '../kit/controls.tsx'
import { partAt, setPart, type Change, type Editing } from './editing.ts'

/** Where a setting is, and what its control says otherwise than its declaration. */
interface SettingProps {
  readonly path: FormPath
  readonly of: DeclaredSetting
  readonly label?: string
  readonly hint?: string
}

/** A setting's value, with what there is to say about it. */
export function useSetting({ path, of, label = of.label, hint = of.meaning }: SettingProps) {
  const { editing, change } = useEditor()
  // A list has one control for all that is in it.
  const { error, warning } = useSaid(path, of.kind === 'list')
  const shownHint = [hint, warning].filter((text) => text !== '').join(' ')
  return {
    value: partAt(editing.form, path),
    set: (value: unknown) => {
      change(setPart(path, value))
    },
    shown: { label, error, hint: shownHint === '' ? undefined : shownHint },
  }
}

/** Any value as the text of a control. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface ControlProps extends SettingProps {
  /** Changes more than the setting itself. */
  readonly onText?: (text: string) => Change
  /** Whether the text is taken when the control is left. */
  readonly isLeft?: boolean
  readonly isLong?: boolean
  /** Whether a bound is a day. */
  readonly isDate?: boolean
}

/** The control of a setting, by its declaration. Emptied, a setting is removed, unless the form needs it. */
export function Setting({ onText, isLeft = false, isLong = false, isDate = false, ...props }: ControlProps) {
  const { of } = props
  const { change } = useEditor()
  const { value, set, shown } = useSetting(props)
  const text = textOf(value)
  const setText = (next: string): void => {
    if (onText === undefined) set(next === '' && !of.isNeeded ? undefined : next)
    else change(onText(next))
  }
  if (of.kind === 'truth') return <CheckSetting {...shown} isChecked={value === true} onChecked={set} />
  if (of.kind === 'list') return <LinesField {...shown} lines={listOf(value)} onLines={set} />
  if (of.kind === 'choice') {
    const { choices, initial, none } = of
    const chosen = text === '' ? (initial ?? '') : text
    const isNone = !of.isNeeded && initial === null
    return (
      <SelectField
        {...shown}
        value={chosen}
        // What holds when nothing is stored is stored as nothing.
        onValue={(next) => {
          setText(next === initial ? '' : next)
        }}
        options={withGiven(chosen, isNone ? [{ value: '', label: none }, ...choices] : choices)}
      />
    )
  }
  if (of.kind === 'number' || (of.kind === 'bound' && !isDate)) {
    const setNumber = (typed: string): void => {
      set(numberIn(typed))
    }
    return <DraftField {...shown} inputMode="numeric" value={text} onTyped={setNumber} />
  }
  // A browser's control for days shows nothing of a text that is none.
  const isDay = of.kind === 'bound' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text))
  if (isLeft) return <DraftField {...shown} value={text} spellcheck={false} onLeft={setText} />
  if (isLong) return <TextArea {...shown} value={text} onValue={setText} />
  return <TextField {...shown} type={isDay ? 'date' : 'text'} value={text} onValue={setText} />
}

interface CheckSettingProps {
  readonly label: string
  readonly hint: string | undefined
  readonly error: string | null
  readonly isChecked: boolean
  readonly onChecked: (isChecked: true | undefined) => void
}

/** A setting that is yes or no. No is the same as nothing. */
function CheckSetting({ label, hint, error, isChecked, onChecked }: CheckSettingProps) {
  return (
    <div>
      <CheckField
        label={label}
        isChecked={isChecked}
        onChecked={(next) => {
          onChecked(next ? true : undefined)
        }}
      />
      {hint !== undefined && <p class="hint">{hint}</p>}
      {error !== null && <p class="error">{error}</p>}
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

interface LinesProps {
  readonly label: string
  readonly hint?: string | undefined
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
      onBlur={calls(setDraft, null)}
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
                onClick={calls(change, setPart([...path, name], undefined))}
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

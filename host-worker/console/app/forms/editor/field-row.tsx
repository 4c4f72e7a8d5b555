import { fieldPath } from '../../../../../domain/forms/definition/problem.ts'
import { titleOf } from '../../../../../domain/forms/editing/meanings.ts'
import { membersOf } from '../../../../../domain/text/json.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { TheirText } from '../../kit/their-text.tsx'
import { saidAt, useEditor } from './field/context.ts'
import { textOf } from './field/controls.tsx'
import { toggleField } from './state/editing.ts'
import type { HandleProps } from './use-drag.ts'

interface FieldRowProps extends FieldHeadProps {
  /** What drags the field. */
  readonly handle: HandleProps
  readonly onMove: (from: number, to: number) => void
  readonly onRemove: () => void
}

/** A field in the list: what moves it, what opens it, and what removes it. */
export function FieldRow({ field, index, fieldKey, handle, onMove, onRemove }: FieldRowProps) {
  const name = nameOf(field, index)
  const moveBy = (step: number) => (): void => {
    onMove(index, index + step)
  }
  return (
    <div class="field-row">
      <button
        type="button"
        id={handleId(fieldKey)}
        class="drag-handle"
        aria-label={`Move ${name}: drag it, or press the arrow keys`}
        {...handle}
        onKeyDown={(event) => {
          const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
          if (step === undefined) return
          event.preventDefault()
          onMove(index, index + step)
        }}
      >
        ⠿
      </button>
      <FieldHead field={field} index={index} fieldKey={fieldKey} />
      <Button kind="quiet" aria-label={`Move ${name} up`} onClick={moveBy(-1)}>
        ↑
      </Button>
      <Button kind="quiet" aria-label={`Move ${name} down`} onClick={moveBy(1)}>
        ↓
      </Button>
      <Button kind="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
        ×
      </Button>
    </div>
  )
}

interface FieldHeadProps {
  readonly field: unknown
  readonly index: number
  readonly fieldKey: number
}

/** The button that shows and hides the settings of a field. */
function FieldHead({ field, index, fieldKey }: FieldHeadProps) {
  const { editing, findings, change } = useEditor()
  const { error, warning } = saidAt(findings, fieldPath(index), true)
  const { type, required, visibleWhen } = membersOf(field)
  return (
    <button
      type="button"
      id={headId(fieldKey)}
      class="field-head"
      aria-expanded={editing.open === fieldKey}
      onClick={() => {
        change(toggleField(fieldKey))
      }}
    >
      <span class="field-name">
        <TheirText text={nameOf(field, index)} />
      </span>
      <span class="badges">
        <span class="soft">{titleOf(textOf(type))}</span>
        {required === true && <Badge>required</Badge>}
        {(visibleWhen ?? null) !== null && <Badge>conditional</Badge>}
        {error !== null && <Badge tone="bad">problem</Badge>}
        {error === null && warning !== '' && <Badge tone="waiting">note</Badge>}
      </span>
    </button>
  )
}

/** What a field is called in the editor: by its label, else its id, else its place. */
export function nameOf(field: unknown, index: number): string {
  const { label, id } = membersOf(field)
  const named = [label, id].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof named === 'string' ? named : `Field ${index + 1}`
}

/** The id of what moves a field. */
export const handleId = (key: number) => `field-handle-${key}`

/** The id of what opens a field. */
export const headId = (key: number) => `field-head-${key}`

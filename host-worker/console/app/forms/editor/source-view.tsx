import { useEffect, useRef, useState } from 'preact/hooks'
import type { FormPath } from '../../../../../domain/forms/definition/problem.ts'
import { Card } from '../../kit/card.tsx'
import { TextArea } from '../../kit/field.tsx'
import { useEditor } from './controls.tsx'
import { replaceForm, sameText } from './editing.ts'
import { placeIn, readSource, type Span } from './source-places.ts'

interface SourceViewProps {
  /** A part that is to be shown; null: none is. */
  readonly sought: { readonly path: FormPath } | null
  /** Told whether the text is a form. */
  readonly onReading: (isForm: boolean) => void
}

/** The form as JSON, for what the editor has no control for. */
export function SourceView({ sought, onReading }: SourceViewProps) {
  const { editing, change } = useEditor()
  const [text, setText] = useState(() => JSON.stringify(editing.form, null, 2))
  const area = useRef<HTMLDivElement>(null)
  const reading = readSource(text)
  useEffect(() => {
    onReading(reading.kind === 'form')
    if (reading.kind === 'form' && sameText(reading.form) !== sameText(editing.form))
      change(replaceForm(reading.form))
  }, [text])
  useEffect(() => {
    if (sought !== null) select(area.current, text, placeIn(text, sought.path))
  }, [sought])
  return (
    <Card title="Source">
      <div ref={area}>
        <TextArea
          label="The form as JSON"
          hint="What you change here is changed in the form as soon as it is JSON."
          error={reading.kind === 'wrong' ? reading.sentence : null}
          class="source"
          rows={28}
          spellcheck={false}
          value={text}
          onValue={setText}
        />
      </div>
    </Card>
  )
}

/** Selects a part of the source, and scrolls to it. */
function select(around: HTMLElement | null, text: string, { start, end }: Span): void {
  const area = around?.querySelector('textarea') ?? null
  if (area === null) return
  area.focus()
  area.setSelectionRange(start, end)
  const line = text.slice(0, start).split('\n').length - 1
  const all = text.split('\n').length
  area.scrollTop = Math.max(0, (line / all) * area.scrollHeight - area.clientHeight / 3)
}

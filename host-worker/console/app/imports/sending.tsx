import { Button } from '../kit/button.tsx'
import { useLeaveWarning } from '../kit/leaving.ts'
import { ProgressBar } from '../kit/progress-bar.tsx'
import { countText } from '../kit/text.ts'
import type { SendProgress } from './send-file.ts'

const passTexts = {
  reading: 'The file is read.',
  checking: 'The file is sent and checked.',
  writing: 'Every row is in order. They are written; this goes on by itself even when you leave.',
} as const

interface SendingProps {
  readonly progress: SendProgress | null
  readonly onCancel: () => void
}

/** How far the import is that is running. */
export function Sending({ progress, onCancel }: SendingProps) {
  const { pass = 'reading', rows = 0, done = 0, most = 0, waitsFor = null } = progress ?? {}
  const mayCancel = pass !== 'writing'
  useLeaveWarning(mayCancel)
  return (
    <div class="progress" role="status">
      <p>
        {passTexts[pass]} Rows: {countText(rows)}.
      </p>
      <ProgressBar label="Import" done={done} most={most} />
      {waitsFor !== null && <p class="note offline">{waitsFor} It is tried again by itself.</p>}
      {mayCancel && (
        <div class="buttons">
          <Button onClick={onCancel}>Cancel the import</Button>
        </div>
      )}
    </div>
  )
}

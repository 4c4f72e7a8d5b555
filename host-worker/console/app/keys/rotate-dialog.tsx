import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { FailureNote } from '../kit/states.tsx'
import { useAction } from '../service/use-action.ts'
import type { IssuedKey, Key } from './key.ts'

interface RotateProps {
  readonly issued: Key
  readonly onClose: () => void
  readonly onRotated: (successor: IssuedKey) => void
}

/** Issues the successor of a key, beside which it works for a while. */
export function RotateDialog({ issued: { keyId, label }, onClose, onRotated }: RotateProps) {
  const [overlap, setOverlap] = useState('7d')
  const rotate = useAction(
    (client) => client.call('keys.rotate', { params: { keyId }, body: { overlap: overlap.trim() } }),
    onRotated,
  )
  return (
    <Dialog title={`Rotate ${label ?? keyId}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rotate.run(undefined)
        }}
      >
        <div class="dialog-text">
          <p>The successor has its label, scope, rate and end.</p>
        </div>
        <TextField
          label="Overlap"
          hint="For how long the key works beside its successor: minutes (30m), hours (12h) or days (7d)."
          value={overlap}
          onValue={setOverlap}
          required
        />
        {rotate.failure !== null && <FailureNote failure={rotate.failure} />}
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isRunning={rotate.isRunning}>
            Issue the successor
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

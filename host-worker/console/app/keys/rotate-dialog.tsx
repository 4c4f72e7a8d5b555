import { useState } from 'preact/hooks'
import { DialogText, FormDialog } from '../kit/input/dialog.tsx'
import { TextField } from '../kit/input/field.tsx'
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
    <FormDialog
      title={`Rotate ${label ?? keyId}`}
      verb="Issue the successor"
      action={rotate}
      onClose={onClose}
    >
      <DialogText>
        <p>The successor has its label, scope, rate and end.</p>
      </DialogText>
      <TextField
        label="Overlap"
        hint="For how long the key works beside its successor: minutes (30m), hours (12h) or days (7d)."
        value={overlap}
        onValue={setOverlap}
        required
      />
    </FormDialog>
  )
}

import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/saving/copy-button.tsx'
import { Dialog } from '../kit/input/dialog.tsx'
import type { IssuedKey } from './key.ts'

interface IssuedKeyProps {
  readonly issued: IssuedKey
  readonly onClose: () => void
}

/** Shows a new key this once. */
export function IssuedKeyDialog({ issued: { key }, onClose }: IssuedKeyProps) {
  return (
    <Dialog title="The new key" onClose={onClose}>
      <div class="dialog-text">
        <p>Copy it now: it is shown this once, because only its hash is stored.</p>
        <p class="issued-key">
          <code>{key}</code>
        </p>
      </div>
      <div class="buttons">
        <CopyButton text={key} what="the key" />
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}

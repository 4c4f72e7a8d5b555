import { Button, CopyButton } from '../kit/button.tsx'
import type { Tone } from '../kit/card.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import type { BodyOf, ItemOf } from '../service/operations.ts'

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

interface ExpiryProps {
  readonly hint: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** When a key ends, by the reader's clock. */
export function ExpiryField(props: ExpiryProps) {
  return <TextField label="Expires" type="datetime-local" {...props} />
}

/** The end that was written, as the operations take it: left out when none was. */
export function expiryOf(written: string): { readonly expiresAt?: string } {
  return written === '' ? {} : { expiresAt: new Date(written).toISOString() }
}

/** A key of an organization, without the key itself. */
export type Key = ItemOf<'keys.list'>

/** A new key, with the key itself. */
export type IssuedKey = Pick<BodyOf<'keys.issue'>, 'key'>

/** How the state of a key looks. */
export const keyTones: Readonly<Record<Key['state'], Tone>> = {
  active: 'good',
  expired: 'neutral',
  revoked: 'bad',
}

/** Whether requests with a key are accepted. */
export function isWorking({ state }: Key): boolean {
  return state === 'active'
}

/** Who issued a key, of an organization or of an operator. */
export function issuerText(issuedBy: string | null): string {
  return issuedBy ?? 'the root secret'
}

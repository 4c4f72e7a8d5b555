import { ConfirmDialog } from '../kit/input/dialog.tsx'
import { toast } from '../kit/toasts/toasts.ts'
import { useAction } from '../service/use-action.ts'
import type { Key } from './key.ts'

interface RevokeProps {
  readonly revoked: Key
  readonly onClose: () => void
  readonly onRevoked: () => void
}

/** Asks before a key is revoked. */
export function RevokeDialog({ revoked: { keyId, label }, onClose, onRevoked }: RevokeProps) {
  const revoke = useAction(
    (client) => client.call('keys.revoke', { params: { keyId } }),
    () => {
      toast('The key is revoked.')
      onRevoked()
    },
  )
  return (
    <ConfirmDialog title={`Revoke ${label ?? keyId}?`} verb="Revoke" action={revoke} onClose={onClose}>
      <p>Its very next request is refused. This cannot be undone.</p>
    </ConfirmDialog>
  )
}

import { useState } from 'preact/hooks'
import { ConfirmDialog } from '../kit/input/dialog.tsx'
import { CheckField } from '../kit/input/field.tsx'
import { toast } from '../kit/toasts/toasts.ts'
import { useAction } from '../service/use-action.ts'

interface RevokeProps {
  readonly keyId: string
  readonly operator: string
  readonly onClose: () => void
  readonly onRevoked: () => void
}

/** Asks before the key of an operator is revoked, alone or with all that descend from it. */
export function RevokeDialog({ keyId, operator, onClose, onRevoked }: RevokeProps) {
  const [isWithDescendants, setWithDescendants] = useState(false)
  const revoke = useAction(
    (client) =>
      client.call('operatorKeys.revoke', {
        params: { keyId },
        query: isWithDescendants ? { descendants: 'true' } : {},
      }),
    () => {
      toast(isWithDescendants ? 'The key and all that descend from it are revoked.' : 'The key is revoked.')
      onRevoked()
    },
  )
  return (
    <ConfirmDialog title={`Revoke the key of ${operator}?`} verb="Revoke" action={revoke} onClose={onClose}>
      <p>
        The very next request with <code>{keyId}</code> is refused. This cannot be undone.
      </p>
      <CheckField
        label="Revoke all keys that descend from it too"
        isChecked={isWithDescendants}
        onChecked={setWithDescendants}
      />
    </ConfirmDialog>
  )
}

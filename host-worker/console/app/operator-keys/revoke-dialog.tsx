import { useState } from 'preact/hooks'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { CheckField } from '../kit/field.tsx'
import { toast } from '../kit/toasts.tsx'
import { Failure } from '../service/failure.ts'
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
    async (client) => {
      const answer = await client.call('operatorKeys.revoke', {
        params: { keyId },
        query: isWithDescendants ? { descendants: 'true' } : {},
      })
      const unreached = answer?.unreached ?? []
      if (unreached.length > 0)
        throw new Failure(
          'refused',
          `The databases of these organizations did not answer, so keys there may work still: ${unreached.join(', ')}. Everything else is revoked. Revoke again to end them.`,
        )
    },
    () => {
      toast(isWithDescendants ? 'The key and all that descend from it are revoked.' : 'The key is revoked.')
      onRevoked()
    },
  )
  return (
    <ConfirmDialog title={`Revoke the key of ${operator}?`} verb="Revoke" action={revoke} onClose={onClose}>
      <p>
        The very next request with <code>{keyId}</code> is refused. This cannot be undone. Keys of
        organizations and of the platform that it issued go on working, unless they are revoked with it.
      </p>
      <CheckField
        label="Revoke all keys that descend from it too"
        isChecked={isWithDescendants}
        onChecked={setWithDescendants}
      />
    </ConfirmDialog>
  )
}

import { useState } from 'preact/hooks'
import { ExpiryField, expiryOf } from '../keys/key.tsx'
import { FormDialog } from '../kit/dialog.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import type { BodyOf } from '../service/operations.ts'
import { useAction } from '../service/use-action.ts'

interface IssueProps {
  readonly onClose: () => void
  readonly onIssued: (issued: Pick<BodyOf<'operatorKeys.issue'>, 'key'>) => void
}

const roles = [
  { value: 'support', label: 'Support: reads, and retries the outbox' },
  { value: 'admin', label: 'Admin: does everything' },
] as const

/** Issues a key of an operator. */
export function IssueDialog({ onClose, onIssued }: IssueProps) {
  const [operator, setOperator] = useState('')
  const [chosen, setChosen] = useState<string>('support')
  const [expires, setExpires] = useState('')
  const issue = useAction((client) => {
    const role = chosen === 'admin' ? 'admin' : 'support'
    return client.call('operatorKeys.issue', {
      body: { operator: operator.trim(), role, ...expiryOf(expires) },
    })
  }, onIssued)
  return (
    <FormDialog title="Issue an operator key" verb="Issue" action={issue} onClose={onClose}>
      <TextField
        label="Operator"
        hint="The person or program that it is for."
        value={operator}
        onValue={setOperator}
        required
      />
      <SelectField label="Role" value={chosen} onValue={setChosen} options={roles} />
      <ExpiryField
        hint="At the latest with your own key; left empty: with it."
        value={expires}
        onValue={setExpires}
      />
    </FormDialog>
  )
}

import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import { FailureNote } from '../kit/states.tsx'
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
    const expiresAt = expires === '' ? null : new Date(expires).toISOString()
    return client.call('operatorKeys.issue', { body: { operator: operator.trim(), role, expiresAt } })
  }, onIssued)
  return (
    <Dialog title="Issue an operator key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          issue.run(undefined)
        }}
      >
        <TextField
          label="Operator"
          hint="The person or program that it is for."
          value={operator}
          onValue={setOperator}
          required
        />
        <SelectField label="Role" value={chosen} onValue={setChosen} options={roles} />
        <TextField
          label="Expires"
          hint="At the latest with your own key; left empty: with it."
          type="datetime-local"
          value={expires}
          onValue={setExpires}
        />
        {issue.failure !== null && <FailureNote failure={issue.failure} />}
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isRunning={issue.isRunning}>
            Issue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

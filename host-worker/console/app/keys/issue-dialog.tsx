import { useState } from 'preact/hooks'
import { FormDialog } from '../kit/input/dialog.tsx'
import { SelectField, TextField } from '../kit/input/field.tsx'
import { useAction } from '../service/use-action.ts'
import type { CallOf } from '../service/operations.ts'
import { ExpiryField, expiryOf } from './expiry-field.tsx'
import type { IssuedKey } from './key.ts'

interface IssueProps {
  readonly organizationId: string
  readonly onClose: () => void
  readonly onIssued: (issued: IssuedKey) => void
}

type Settings = NonNullable<CallOf<'keys.issue'>['body']>

const scopes = [
  { value: 'all', label: 'Everything' },
  { value: 'read', label: 'Read' },
  { value: 'send', label: 'Send messages' },
] as const

const NOTHING = { label: '', scope: 'all', expires: '', rate: '' }

/** Issues a key of an organization. */
export function IssueDialog({ organizationId, onClose, onIssued }: IssueProps) {
  const [written, setWritten] = useState(NOTHING)
  const issue = useAction(
    (client) => client.call('keys.issue', { params: { organizationId }, body: settingsOf(written) }),
    onIssued,
  )
  const write = (name: keyof typeof NOTHING) => (value: string) => {
    setWritten({ ...written, [name]: value })
  }
  return (
    <FormDialog title="Issue a key" verb="Issue" action={issue} onClose={onClose}>
      <TextField
        label="Label"
        hint="What it is for, such as nightly sync."
        value={written.label}
        onValue={write('label')}
      />
      <SelectField label="Scope" value={written.scope} onValue={write('scope')} options={scopes} />
      <ExpiryField hint="Left empty: never." value={written.expires} onValue={write('expires')} />
      <TextField
        label="Requests a minute"
        hint="Left empty: no limit."
        type="number"
        value={written.rate}
        onValue={write('rate')}
      />
    </FormDialog>
  )
}

/** The settings as the operation takes them: what was left empty is left out, and the instant is that of the reader's clock. */
function settingsOf({ label, scope, expires, rate }: typeof NOTHING): Settings {
  const chosen = scopes.find(({ value }) => value === scope)
  return {
    ...(label.trim() === '' ? {} : { label: label.trim() }),
    ...(chosen === undefined ? {} : { scope: chosen.value }),
    ...expiryOf(expires),
    ...(rate === '' ? {} : { ratePerMinute: Number(rate) }),
  }
}

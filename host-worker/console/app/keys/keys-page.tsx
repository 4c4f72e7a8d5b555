import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Badge } from '../kit/card.tsx'
import { ConfirmDialog, DialogText, FormDialog } from '../kit/dialog.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table.tsx'
import { PagedTable } from '../kit/table.tsx'
import { TheirText, countText, momentText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import type { PartProps } from '../part.ts'
import type { CallOf } from '../service/operations.ts'
import { useAction } from '../service/use-action.ts'
import { usePages } from '../service/use-pages.ts'
import { useMay } from '../session/session.ts'
import type { IssuedKey, Key } from './key.tsx'
import { ExpiryField, IssuedKeyDialog, expiryOf, isWorking, issuerText, keyTones } from './key.tsx'

/** What the person is doing beside reading the list. */
type Doing =
  | { readonly what: 'issue' }
  | { readonly what: 'rotate' | 'revoke'; readonly key: Key }
  | { readonly what: 'see'; readonly issued: IssuedKey }

/** The keys of an organization. */
export function Page({ organizationId }: PartProps) {
  const keys = usePages('keys.list', { params: { organizationId } })
  const mayChange = useMay('admin')
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = (): void => {
    setDoing(null)
  }
  const see = (issued: IssuedKey): void => {
    setDoing({ what: 'see', issued })
    keys.reload()
  }
  const buttons: Column<Key> = {
    title: 'Change',
    width: '12.5rem',
    cell: (key) =>
      isWorking(key) && (
        <span class="buttons">
          {key.successorId === null && (
            <Button
              aria-label={`Rotate ${nameOf(key)}`}
              onClick={() => {
                setDoing({ what: 'rotate', key })
              }}
            >
              Rotate
            </Button>
          )}
          <Button
            aria-label={`Revoke ${nameOf(key)}`}
            onClick={() => {
              setDoing({ what: 'revoke', key })
            }}
          >
            Revoke
          </Button>
        </span>
      ),
  }
  return (
    <>
      {mayChange && (
        <p class="buttons list-buttons">
          <Button
            kind="primary"
            onClick={() => {
              setDoing({ what: 'issue' })
            }}
          >
            Issue a key
          </Button>
        </p>
      )}
      <PagedTable
        label="Keys"
        pages={keys}
        columns={mayChange ? [...columns, buttons] : columns}
        rowKey={({ keyId }) => keyId}
        empty={
          <Empty title="There is no key yet.">A key lets a program read what this organization has.</Empty>
        }
      />
      {doing?.what === 'issue' && (
        <IssueDialog organizationId={organizationId} onClose={close} onIssued={see} />
      )}
      {doing?.what === 'rotate' && <RotateDialog issued={doing.key} onClose={close} onRotated={see} />}
      {doing?.what === 'revoke' && (
        <RevokeDialog
          revoked={doing.key}
          onClose={close}
          onRevoked={() => {
            close()
            keys.reload()
          }}
        />
      )}
      {doing?.what === 'see' && <IssuedKeyDialog issued={doing.issued} onClose={close} />}
    </>
  )
}

const columns: readonly Column<Key>[] = [
  {
    title: 'Key',
    width: 'minmax(0, 1.5fr)',
    cell: ({ label, keyId }) => (
      <span>
        <TheirText text={label ?? ''} /> <code>{keyId}</code>
      </span>
    ),
  },
  { title: 'State', cell: ({ state }) => <Badge tone={keyTones[state]}>{state}</Badge> },
  { title: 'Scope', cell: ({ scope }) => (scope === 'all' ? 'everything' : scope) },
  {
    title: 'A minute',
    cell: ({ ratePerMinute }) => (ratePerMinute === null ? 'no limit' : countText(ratePerMinute)),
  },
  { title: 'Expires', cell: ({ expiresAt }) => (expiresAt === null ? 'never' : momentText(expiresAt)) },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : momentText(lastUsedAt)) },
  { title: 'Issued by', cell: ({ issuedBy }) => issuerText(issuedBy) },
]

function nameOf({ label, keyId }: Key): string {
  return label ?? keyId
}

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
function IssueDialog({ organizationId, onClose, onIssued }: IssueProps) {
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

interface RotateProps {
  readonly issued: Key
  readonly onClose: () => void
  readonly onRotated: (successor: IssuedKey) => void
}

/** Issues the successor of a key, beside which it works for a while. */
function RotateDialog({ issued: { keyId, label }, onClose, onRotated }: RotateProps) {
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

interface RevokeProps {
  readonly revoked: Key
  readonly onClose: () => void
  readonly onRevoked: () => void
}

/** Asks before a key is revoked. */
function RevokeDialog({ revoked: { keyId, label }, onClose, onRevoked }: RevokeProps) {
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

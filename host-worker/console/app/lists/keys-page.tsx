import { Button, CopyButton, RowButton, calls } from '../kit/button.tsx'
import { Dialog, useDialog } from '../kit/dialog.tsx'
import { Empty } from '../kit/states.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { TheirText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import { OperationDialog, columnsOf } from '../operations/operation-form.tsx'
import type { PartProps } from '../part.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { usePages } from '../service/use-pages.ts'
import { useMay } from '../session/session.ts'

type Key = ItemOf<'keys.list'>

/** How the state of a key looks. */
export const keyTones = { active: 'good', expired: 'neutral', revoked: 'bad' } as const

/** The keys of an organization. */
export function Page({ organizationId }: PartProps) {
  const params = { organizationId }
  const keys = usePages('keys.list', { params })
  const mayChange = useMay('admin')
  const { dialog, open, close } = useDialog()
  const see = ({ key }: Pick<BodyOf<'keys.issue'>, 'key'>): void => {
    open(<IssuedKeyDialog issued={key} onClose={close} />)
    keys.reload()
  }
  const issue = (): void => {
    open(
      <OperationDialog
        of="keys.issue"
        call={{ params }}
        title="Issue a key"
        verb="Issue"
        onDone={see}
        onClose={close}
      />,
    )
  }
  const rotate = ({ keyId, label }: Key): void => {
    open(
      <OperationDialog
        of="keys.rotate"
        call={{ params: { keyId } }}
        names={['overlap']}
        title={`Rotate ${label ?? keyId}`}
        verb="Issue the successor"
        onDone={see}
        onClose={close}
      >
        <p>The successor has its label, scope, rate and end.</p>
      </OperationDialog>,
    )
  }
  const revoke = ({ keyId, label }: Key): void => {
    open(
      <OperationDialog
        of="keys.revoke"
        call={{ params: { keyId } }}
        title={`Revoke ${label ?? keyId}?`}
        verb="Revoke"
        kind="danger"
        onDone={() => {
          toast('The key is revoked.')
          close()
          keys.reload()
        }}
        onClose={close}
      >
        <p>Its very next request is refused. This cannot be undone.</p>
      </OperationDialog>,
    )
  }
  const change: Column<Key> = {
    title: 'Change',
    width: '12.5rem',
    cell: (key) =>
      key.state === 'active' && (
        <span class="buttons">
          {key.successorId === null && (
            <RowButton verb="Rotate" of={key.label ?? key.keyId} onClick={calls(rotate, key)} />
          )}
          <RowButton verb="Revoke" of={key.label ?? key.keyId} onClick={calls(revoke, key)} />
        </span>
      ),
  }
  return (
    <>
      {mayChange && (
        <p class="buttons list-buttons">
          <Button kind="primary" onClick={issue}>
            Issue a key
          </Button>
        </p>
      )}
      <PagedTable
        label="Keys"
        pages={keys}
        columns={mayChange ? [...columns, change] : columns}
        rowKey={({ keyId }) => keyId}
        empty={
          <Empty title="There is no key yet.">A key lets a program read what this organization has.</Empty>
        }
      />
      {dialog}
    </>
  )
}

const columns = columnsOf('keys.list', [
  {
    title: 'Key',
    width: 'minmax(0, 1.5fr)',
    cell: ({ label, keyId }) => (
      <span>
        <TheirText text={label ?? ''} /> <code>{keyId}</code>
      </span>
    ),
  },
  { of: 'state', tones: keyTones },
  { of: 'scope', cell: ({ scope }) => (scope === 'all' ? 'everything' : scope) },
  { of: 'ratePerMinute', title: 'A minute' },
  ...(['expiresAt', 'lastUsedAt', 'issuedBy'] as const),
])

/** Shows a new key this once. */
export function IssuedKeyDialog({
  issued,
  onClose,
}: {
  readonly issued: string
  readonly onClose: () => void
}) {
  return (
    <Dialog title="The new key" onClose={onClose}>
      <div class="dialog-text">
        <p>Copy it now: it is shown this once, because only its hash is stored.</p>
        <p class="issued-key">
          <code>{issued}</code>
        </p>
      </div>
      <div class="buttons">
        <CopyButton text={issued} what="the key" />
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}

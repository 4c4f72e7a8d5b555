import { Button, RowButton, calls } from '../kit/controls.tsx'
import { OnceDialog, useDialog } from '../kit/dialog.tsx'
import { Empty, PageHeader, TheirText } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { OperationDialog, columnsOf } from '../operations/operation-form.tsx'
import type { OrganizationProps } from '../organizations/organization.ts'
import { fieldsOf } from '../operations/written.ts'
import { Failure } from '../service/client.ts'
import { usePages } from '../service/hooks.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'
import { byDescent } from './descent.ts'

type Key = ItemOf<'keys.list'>

/** How the state of a key looks. */
const keyTones = { active: 'good', expired: 'neutral', revoked: 'bad' } as const

/** The keys of an organization. */
export function Keys({ organizationId }: OrganizationProps) {
  const params = { organizationId }
  const keys = usePages('keys.list', { params })
  const mayChange = useMay('keys.issue')
  const { dialog, open, close, done } = useDialog(keys.reload)
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
        fields={fieldsOf('keys.rotate', 'body', ['overlap'])}
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
        onDone={calls(done, 'The key is revoked.')}
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
function IssuedKeyDialog({ issued, onClose }: { readonly issued: string; readonly onClose: () => void }) {
  return (
    <OnceDialog title="The new key" text={issued} what="the key" onClose={onClose}>
      Copy it now: it is shown this once, because only its hash is stored.
    </OnceDialog>
  )
}

type OperatorKey = ItemOf<'operatorKeys.list'>
type Descended = OperatorKey & { readonly depth: number }

/** The keys of operators, each below the one that issued it. */
export function OperatorKeys() {
  const keys = usePages('operatorKeys.list')
  const { dialog, open, close, done } = useDialog(keys.reload)
  const issue = (): void => {
    open(
      <OperationDialog
        of="operatorKeys.issue"
        title="Issue an operator key"
        verb="Issue"
        onDone={({ key }) => {
          open(<IssuedKeyDialog issued={key} onClose={close} />)
          keys.reload()
        }}
        onClose={close}
      />,
    )
  }
  const revoke = ({ keyId, operator }: OperatorKey): void => {
    open(
      <OperationDialog
        of="operatorKeys.revoke"
        call={{ params: { keyId } }}
        title={`Revoke the key of ${operator}?`}
        verb="Revoke"
        kind="danger"
        check={(answer) => {
          if (answer !== null && answer.unreached.length > 0)
            throw new Failure(
              'refused',
              `The databases of these organizations did not answer, so keys there may work still: ${answer.unreached.join(', ')}. Everything else is revoked. Revoke again to end them.`,
            )
        }}
        onDone={(answer) => {
          done(answer === null ? 'The key is revoked.' : 'The key and all that descend from it are revoked.')
        }}
        onClose={close}
      >
        <p>
          The very next request with <code>{keyId}</code> is refused. This cannot be undone. Keys of
          organizations and of the platform that it issued go on working, unless they are revoked with it.
        </p>
      </OperationDialog>,
    )
  }
  const change: Column<Descended> = {
    title: 'Change',
    width: '7rem',
    cell: (key) =>
      key.state === 'active' && (
        <RowButton verb="Revoke" of={`${key.keyId} of ${key.operator}`} onClick={calls(revoke, key)} />
      ),
  }
  return (
    <>
      <PageHeader
        title="Operator keys"
        actions={
          <Button kind="primary" onClick={issue}>
            Issue a key
          </Button>
        }
      />
      <PagedTable
        label="Operator keys"
        pages={{ ...keys, items: byDescent(keys.items) }}
        columns={[operatorColumn, ...operatorKeyColumns, change]}
        rowKey={({ keyId }) => keyId}
        empty={<Empty title="There is no operator key yet." />}
      />
      {dialog}
    </>
  )
}

const operatorColumn: Column<Descended> = {
  title: 'Operator',
  width: 'minmax(0, 1.5fr)',
  cell: ({ operator, keyId, depth }) => (
    <span>
      {'↳ '.repeat(Math.min(depth, 8))}
      <TheirText text={operator} /> <code>{keyId}</code>
    </span>
  ),
}

const operatorKeyColumns = columnsOf('operatorKeys.list', [
  'role',
  { of: 'state', tones: keyTones },
  ...(['issuedBy', 'expiresAt', 'lastUsedAt'] as const),
])

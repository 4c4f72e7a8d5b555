import { Button, RowButton, calls } from '../kit/button.tsx'
import { useDialog } from '../kit/dialog.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Empty } from '../kit/states.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { TheirText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import { OperationDialog, columnsOf } from '../operations/operation-form.tsx'
import { Failure } from '../service/failure.ts'
import type { ItemOf } from '../service/operations.ts'
import { usePages } from '../service/use-pages.ts'
import { byDescent } from './descent.ts'
import { IssuedKeyDialog, keyTones } from './keys-page.tsx'

type Key = ItemOf<'operatorKeys.list'>
type Descended = Key & { readonly depth: number }

/** The keys of operators, each below the one that issued it. */
export function Page() {
  const keys = usePages('operatorKeys.list')
  const { dialog, open, close } = useDialog()
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
  const revoke = ({ keyId, operator }: Key): void => {
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
          toast(answer === null ? 'The key is revoked.' : 'The key and all that descend from it are revoked.')
          close()
          keys.reload()
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
        columns={[operatorColumn, ...columns, change]}
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

const columns = columnsOf('operatorKeys.list', [
  'role',
  { of: 'state', tones: keyTones },
  ...(['issuedBy', 'expiresAt', 'lastUsedAt'] as const),
])

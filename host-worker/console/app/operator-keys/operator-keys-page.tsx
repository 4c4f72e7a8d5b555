import { useState } from 'preact/hooks'
import { IssuedKeyDialog, issuerText, keyTones } from '../keys/key.tsx'
import { Button } from '../kit/button.tsx'
import { Badge } from '../kit/card.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table.tsx'
import { PagedTable } from '../kit/table.tsx'
import { TheirText, momentText } from '../kit/text.tsx'
import type { ItemOf } from '../service/operations.ts'
import { usePages } from '../service/use-pages.ts'
import type { Descended } from './descent.ts'
import { byDescent } from './descent.ts'
import { IssueDialog } from './issue-dialog.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'

type Row = Descended<ItemOf<'operatorKeys.list'>>

/** What the person is doing beside reading the list. */
type Doing =
  | { readonly what: 'issue' }
  | { readonly what: 'revoke'; readonly keyId: string; readonly operator: string }
  | { readonly what: 'see'; readonly key: string }

/** The keys of operators, each below the one that issued it. */
export function Page() {
  const keys = usePages('operatorKeys.list')
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = (): void => {
    setDoing(null)
  }
  const change: Column<Row> = {
    title: 'Change',
    width: '7rem',
    cell: ({ key: { state, keyId, operator } }) =>
      state === 'active' && (
        <Button
          aria-label={`Revoke ${keyId} of ${operator}`}
          onClick={() => {
            setDoing({ what: 'revoke', keyId, operator })
          }}
        >
          Revoke
        </Button>
      ),
  }
  const issue = (
    <Button
      kind="primary"
      onClick={() => {
        setDoing({ what: 'issue' })
      }}
    >
      Issue a key
    </Button>
  )
  return (
    <>
      <PageHeader title="Operator keys" actions={issue} />
      <PagedTable
        label="Operator keys"
        pages={{ ...keys, items: byDescent(keys.items) }}
        columns={[...columns, change]}
        rowKey={({ key: { keyId } }) => keyId}
        empty={<Empty title="There is no operator key yet." />}
      />
      {doing?.what === 'issue' && (
        <IssueDialog
          onClose={close}
          onIssued={({ key }) => {
            setDoing({ what: 'see', key })
            keys.reload()
          }}
        />
      )}
      {doing?.what === 'revoke' && (
        <RevokeDialog
          keyId={doing.keyId}
          operator={doing.operator}
          onClose={close}
          onRevoked={() => {
            close()
            keys.reload()
          }}
        />
      )}
      {doing?.what === 'see' && <IssuedKeyDialog issued={doing} onClose={close} />}
    </>
  )
}

const columns: readonly Column<Row>[] = [
  {
    title: 'Operator',
    width: 'minmax(0, 1.5fr)',
    cell: ({ key: { operator, keyId }, depth }) => (
      <span>
        {'↳ '.repeat(Math.min(depth, 8))}
        <TheirText text={operator} /> <code>{keyId}</code>
      </span>
    ),
  },
  { title: 'Role', cell: ({ key: { role } }) => role },
  { title: 'State', cell: ({ key: { state } }) => <Badge tone={keyTones[state]}>{state}</Badge> },
  { title: 'Issued by', cell: ({ key: { issuedBy } }) => issuerText(issuedBy) },
  {
    title: 'Expires',
    cell: ({ key: { expiresAt } }) => (expiresAt === null ? 'never' : momentText(expiresAt)),
  },
  {
    title: 'Last used',
    cell: ({ key: { lastUsedAt } }) => (lastUsedAt === null ? 'never' : momentText(lastUsedAt)),
  },
]

import { useState } from 'preact/hooks'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { PagedTable } from '../kit/table/paged-table.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import { countText, momentText } from '../kit/text.ts'
import { TheirText } from '../kit/their-text.tsx'
import type { PartProps } from '../part.ts'
import { usePages } from '../service/use-pages.ts'
import { useMay } from '../session/session.ts'
import { IssueDialog } from './issue-dialog.tsx'
import { IssuedKeyDialog } from './issued-key-dialog.tsx'
import type { IssuedKey, Key } from './key.ts'
import { issuerText, isWorking, keyTones } from './key.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

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

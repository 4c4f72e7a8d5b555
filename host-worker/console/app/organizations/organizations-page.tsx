import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { PagedTable } from '../kit/table/paged-table.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import type { ItemOf } from '../service/operations.ts'
import { usePages } from '../service/use-pages.ts'
import { useMay } from '../session/session.ts'
import { NewOrganizationDialog } from './new-organization-dialog.tsx'
import { capabilitiesOf, organizationPath } from './organization.ts'

type Organization = ItemOf<'organizations.list'>

const columns: readonly Column<Organization>[] = [
  {
    title: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ name, organizationId }) => <Link href={organizationPath(organizationId)}>{name}</Link>,
  },
  { title: 'Identifier', cell: ({ organizationId }) => <code>{organizationId}</code> },
  { title: 'Parent', cell: ({ parentId }) => parentId ?? '' },
  { title: 'Point of sale', cell: ({ posSource }) => posSource?.kind ?? '' },
  {
    title: 'Capabilities',
    width: 'minmax(0, 1.5fr)',
    cell: (organization) => (
      <span class="badges">
        {capabilitiesOf(organization).map((capability) => (
          <Badge key={capability}>{capability}</Badge>
        ))}
      </span>
    ),
  },
]

/** Every organization. */
export function Page() {
  const pages = usePages('organizations.list')
  const mayCreate = useMay('admin')
  const [, goTo] = useLocation()
  const [isCreating, setCreating] = useState(false)
  const create = (
    <Button
      kind="primary"
      onClick={() => {
        setCreating(true)
      }}
    >
      New organization
    </Button>
  )
  return (
    <>
      <PageHeader title="Organizations" actions={mayCreate ? create : undefined} />
      <PagedTable
        label="Organizations"
        pages={pages}
        columns={columns}
        rowKey={({ organizationId }) => organizationId}
        empty={<Empty title="There is no organization yet." />}
      />
      {isCreating && (
        <NewOrganizationDialog
          onClose={() => {
            setCreating(false)
          }}
          onCreated={(organizationId) => {
            goTo(organizationPath(organizationId))
          }}
        />
      )}
    </>
  )
}

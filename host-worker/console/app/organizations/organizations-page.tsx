import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { Button, TextField, calls, toast } from '../kit/controls.tsx'
import { FormDialog, useDialog } from '../kit/dialog.tsx'
import { Badge, Empty, PageHeader } from '../kit/page.tsx'
import { PagedTable } from '../kit/table.tsx'
import { OperationFields, columnsOf, isPlaced, useWriting } from '../operations/operation-form.tsx'
import { fieldsOf, valuesOf } from '../operations/written.ts'
import { Failure, failureOf, problemOf } from '../service/client.ts'
import { useAction, usePages } from '../service/hooks.ts'
import { useMay } from '../session.tsx'
import { capabilitiesOf, organizationPath } from './organization.ts'
import { usePlace } from './place-card.tsx'

const columns = columnsOf('organizations.list', [
  {
    of: 'name',
    width: 'minmax(0, 2fr)',
    cell: ({ name, organizationId }) => <Link href={organizationPath(organizationId)}>{name}</Link>,
  },
  { title: 'Identifier', cell: ({ organizationId }) => <code>{organizationId}</code> },
  'parentId',
  { of: 'posSource', cell: ({ posSource }) => posSource?.kind ?? '' },
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
])

/** Every organization. */
export function Page() {
  const pages = usePages('organizations.list')
  const mayCreate = useMay('organizations.save')
  const [, goTo] = useLocation()
  const { dialog, open, close } = useDialog()
  const onCreated = (organizationId: string): void => {
    goTo(organizationPath(organizationId, '/settings'))
  }
  const create = (
    <Button
      kind="primary"
      onClick={calls(open, <NewOrganizationDialog onClose={close} onCreated={onCreated} />)}
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
      {dialog}
    </>
  )
}

const asked = fieldsOf('organizations.save', 'body', ['phoneCountry'])

/** The country of whoever reads, as their browser has it; empty: it says none. */
function ownCountry(): string {
  return /-([A-Z]{2})(?![A-Za-z])/.exec(navigator.language)?.[1] ?? ''
}

interface NewOrganizationProps {
  readonly onClose: () => void
  readonly onCreated: (organizationId: string) => void
}

/** Makes an organization. Everything else of it is set on its page. */
function NewOrganizationDialog({ onClose, onCreated }: NewOrganizationProps) {
  const [id, setId] = useState('')
  const [name, setName] = useState('')
  const [parentId, setParentId] = useState('')
  const writing = useWriting(asked, { phoneCountry: ownCountry() })
  const place = usePlace('shared')
  const create = useAction(
    async (client) => {
      // A child lives where its parent does.
      const kin = parentId.trim() === '' ? place.chosen : { parentId: parentId.trim() }
      const call = {
        params: { organizationId: id.trim() },
        body: { name: name.trim(), ...valuesOf(asked, writing.written), ...kin },
      }
      try {
        return await client.call('organizations.save', { ...call, replaces: null })
      } catch (thrown) {
        if (failureOf(thrown).status !== 412) throw thrown
        throw new Failure('refused', 'organizationId: is taken by another organization.')
      }
    },
    ({ organizationId }) => {
      toast(`${organizationId} is there.`)
      onCreated(organizationId)
    },
  )
  const idProblem = problemOf(create.failure, 'organizationId')
  const nameProblem = problemOf(create.failure, 'name')
  const isSaid = idProblem !== null || nameProblem !== null || isPlaced(create.failure, asked)
  return (
    <FormDialog
      title="New organization"
      verb="Create"
      action={{ ...create, failure: isSaid ? null : create.failure }}
      onClose={onClose}
    >
      <TextField
        label="Identifier"
        hint="Letters, digits, _ and -. It is part of its keys, and stays."
        value={id}
        onValue={setId}
        error={idProblem}
        autocomplete="off"
        required
      />
      <TextField label="Name" value={name} onValue={setName} error={nameProblem} required />
      <OperationFields writing={writing} failure={create.failure} />
      <TextField
        label="Parent"
        hint="The identifier of the organization above it. Left empty: none."
        value={parentId}
        onValue={setParentId}
        error={problemOf(create.failure, 'parentId')}
      />
      {parentId.trim() === '' && place.fields}
    </FormDialog>
  )
}

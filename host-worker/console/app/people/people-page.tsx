import { Link } from 'wouter-preact'
import { useState } from 'preact/hooks'
import { Button, RowButton, TextField, calls, toast } from '../kit/controls.tsx'
import { FormDialog, useDialog } from '../kit/dialog.tsx'
import { Badge, Empty, PageHeader, TheirText } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { OperationFields, columnsOf, useWriting } from '../operations/operation-form.tsx'
import { fieldsOf, givenOf } from '../operations/written.ts'
import { organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import { useAction, usePages } from '../service/hooks.ts'
import type { CallOf, ItemOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'

type Listed = ItemOf<'people.list'>

/** The people of an organization or, for operators, everybody with each of their roles. */
export function Page({ organizationId }: OrganizationProps) {
  const isOfAll = organizationId === ''
  const people = usePages('people.list', isOfAll ? {} : { query: { organizationId } })
  const mayChange = useMay('people.save')
  const { dialog, open, close } = useDialog()
  const done = (said: string): void => {
    toast(said)
    close()
    people.reload()
  }
  const save = (person: Listed | null): void => {
    const place = person === null ? (isOfAll ? null : organizationId) : person.organizationId
    open(<PersonDialog person={person} place={place} onDone={done} onClose={close} />)
  }
  const remove = (person: Listed): void => {
    open(<RemoveDialog person={person} onDone={done} onClose={close} />)
  }
  const change: Column<Listed> = {
    title: 'Change',
    width: '12rem',
    cell: (person) => (
      <span class="buttons">
        <RowButton verb="Change" of={person.email} onClick={calls(save, person)} />
        <RowButton verb="Remove" of={person.email} onClick={calls(remove, person)} />
      </span>
    ),
  }
  const add = (
    <Button kind="primary" onClick={calls(save, null)}>
      Add a person
    </Button>
  )
  return (
    <>
      {isOfAll && <PageHeader title="People" actions={mayChange ? add : null} />}
      {!isOfAll && mayChange && <p class="list-buttons">{add}</p>}
      <PagedTable
        label="People"
        pages={people}
        columns={[...columns, ...(isOfAll ? whose : []), ...(mayChange ? [change] : [])]}
        rowKey={({ email, organizationId: where }) => `${email} ${where ?? ''}`}
        empty={<Empty title="Nobody signs in here yet.">Whoever is added signs in with their address.</Empty>}
      />
      {dialog}
    </>
  )
}

const columns = columnsOf('people.list', [
  {
    of: 'email',
    width: 'minmax(0, 2fr)',
    cell: ({ email, name }) => (
      <>
        <span class="address">{email}</span>
        {name !== null && (
          <span class="soft">
            {' '}
            <TheirText text={name} />
          </span>
        )}
      </>
    ),
  },
  { of: 'role', width: '7rem', cell: ({ role }) => <Badge>{role}</Badge> },
  'addedAt',
  { of: 'addedBy' },
])

const whose = columnsOf('people.list', [
  {
    of: 'organizationId',
    cell: ({ organizationId }) =>
      organizationId === null ? (
        'the whole service'
      ) : (
        <Link href={organizationPath(organizationId, '/people')}>{organizationId}</Link>
      ),
  },
])

interface PersonDialogProps {
  /** Null: somebody new. */
  readonly person: Listed | null
  /** The organization in which they have the role; null: the whole service. */
  readonly place: string | null
  readonly onDone: (said: string) => void
  readonly onClose: () => void
}

/** Adds a person, or changes their role. */
function PersonDialog({ person, place, onDone, onClose }: PersonDialogProps) {
  const [email, setEmail] = useState(person?.email ?? '')
  const [places, setPlaces] = useState('')
  const organizationIds = places.split(/[\s,]+/).filter((id) => id !== '')
  const isOfService = place === null && organizationIds.length === 0
  const possible = isOfService ? ['support', 'admin'] : ['member', 'owner', 'support']
  const maySupport = useMay('operatorKeys.list')
  const fields = fieldsOf('people.save', 'body', ['role', 'name']).map((field) =>
    field.choices === undefined
      ? field
      : {
          ...field,
          choices: field.choices.filter(
            ({ value }) => possible.includes(value) && (value !== 'support' || maySupport),
          ),
        },
  )
  const writing = useWriting(fields, person ?? { role: possible[0] })
  const action = useAction(
    async (client) => {
      const query = place === null ? {} : { organizationId: place }
      const body = givenOf(writing.fields, writing.written) as unknown as NonNullable<
        CallOf<'people.save'>['body']
      >
      const address = email.trim()
      if (person !== null || place !== null)
        return client.call('people.save', { params: { email: address }, query, body })
      await client.call('people.add', { body: { ...body, email: address, organizationIds } })
      return { email: address, role: body.role }
    },
    ({ email: added, role }) => {
      onDone(person === null ? `${added} can sign in now, as ${role}.` : `${added} is ${role} now.`)
    },
  )
  return (
    <FormDialog
      title={person === null ? 'Add a person' : `Change ${person.email}`}
      verb={person === null ? 'Add' : 'Save'}
      action={action}
      onClose={onClose}
    >
      {person === null && (
        <TextField
          label="Email address"
          hint="They sign in with it, by a link that is sent there."
          type="email"
          autocomplete="off"
          required
          value={email}
          onValue={setEmail}
        />
      )}
      {person === null && place === null && (
        <TextField
          label="Organizations"
          hint="Their identifiers, with spaces between. Empty: the whole service."
          autocomplete="off"
          spellcheck={false}
          value={places}
          onValue={setPlaces}
        />
      )}
      <OperationFields writing={writing} failure={action.failure} />
    </FormDialog>
  )
}

function RemoveDialog({
  person,
  onDone,
  onClose,
}: Omit<PersonDialogProps, 'person' | 'place'> & { readonly person: Listed }) {
  const { email, organizationId } = person
  const action = useAction(
    (client) =>
      client.call('people.remove', {
        params: { email },
        query: organizationId === null ? {} : { organizationId },
      }),
    () => {
      onDone(`${email} has no role here any more.`)
    },
  )
  return (
    <FormDialog title={`Remove ${email}?`} verb="Remove" kind="danger" action={action} onClose={onClose}>
      <p>It applies to the next thing that they do. Keys that they issued go on working.</p>
    </FormDialog>
  )
}

import { Link } from 'wouter-preact'
import { useState } from 'preact/hooks'
import { Button, RowButton, TextField, calls } from '../kit/controls.tsx'
import { FormDialog, useDialog } from '../kit/dialog.tsx'
import { Badge, Empty, FailureNote, PageHeader, TheirText } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { OperationFields, columnsOf, useWriting } from '../operations/operation-form.tsx'
import { fieldsOf, givenOf, wordsIn } from '../operations/written.ts'
import { organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import { Failure, failureOf, orReload } from '../service/client.ts'
import { useAction, usePages } from '../service/hooks.ts'
import type { BodyOf, CallOf, ItemOf } from '../service/operations.ts'
import { useIdentity, useMay } from '../session.tsx'

type Listed = ItemOf<'people.list'>
type Person = BodyOf<'people.show'>

/** The people of an organization or, for operators, everybody with each of their roles. */
export function Page({ organizationId }: OrganizationProps) {
  const isOfAll = organizationId === ''
  const people = usePages('people.list', isOfAll ? {} : { query: { organizationId } })
  const mayChange = useMay('people.save')
  const { dialog, open, close, done } = useDialog(people.reload)
  const show = (person: Person | null): void => {
    const place = person === null ? (isOfAll ? null : organizationId) : person.organizationId
    open(
      <PersonDialog
        person={person}
        place={place}
        onOvertaken={people.reload}
        onDone={done}
        onClose={close}
      />,
    )
  }
  // As they are now, and with a version: the list may be older, and has none.
  const change = useAction(
    (client, { email, organizationId: place }: Listed) =>
      client.call('people.show', { params: { email }, query: inPlace(place) }),
    show,
  )
  const remove = (person: Listed): void => {
    open(<RemoveDialog person={person} onDone={done} onClose={close} />)
  }
  const { role: ownRole } = useIdentity()
  const changeColumn: Column<Listed> = {
    title: 'Change',
    width: '12rem',
    // Nobody takes a role that they do not have.
    cell: (person) =>
      (ownRole === 'admin' || person.role === 'owner' || person.role === 'member') && (
        <span class="buttons">
          <RowButton
            verb="Change"
            of={person.email}
            isRunning={change.isRunning}
            onClick={calls(change.run, person)}
          />
          <RowButton verb="Remove" of={person.email} onClick={calls(remove, person)} />
        </span>
      ),
  }
  const add = (
    <Button kind="primary" onClick={calls(show, null)}>
      Add a person
    </Button>
  )
  return (
    <>
      {isOfAll && <PageHeader title="People" actions={mayChange ? add : null} />}
      {!isOfAll && mayChange && <p class="list-buttons">{add}</p>}
      {change.failure !== null && <FailureNote failure={change.failure} />}
      <PagedTable
        label="People"
        pages={people}
        columns={[...columns, ...(isOfAll ? whose : []), ...(mayChange ? [changeColumn] : [])]}
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

/** The query that names where a person has a role; null: in the whole service. */
function inPlace(organizationId: string | null) {
  return organizationId === null ? {} : { organizationId }
}

interface PersonDialogProps {
  /** Null: somebody new. */
  readonly person: Person | null
  /** The organization in which they have the role; null: the whole service. */
  readonly place: string | null
  /** Called when somebody else was faster. */
  readonly onOvertaken: () => void
  readonly onDone: (said: string) => void
  readonly onClose: () => void
}

/** Adds a person, or changes their role. */
function PersonDialog({ person, place, onOvertaken, onDone, onClose }: PersonDialogProps) {
  const [email, setEmail] = useState(person?.email ?? '')
  const [places, setPlaces] = useState('')
  const organizationIds = wordsIn(places)
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
      const body = givenOf(writing.fields, writing.written) as unknown as NonNullable<
        CallOf<'people.save'>['body']
      >
      const address = email.trim()
      if (person === null && place === null) {
        await client.call('people.add', { body: { ...body, email: address, organizationIds } })
        return { email: address, role: body.role }
      }
      const call = { params: { email: address }, query: inPlace(place), body, replaces: person }
      const saving = orReload(client.call('people.save', call), onOvertaken)
      return person === null ? saving.catch(refuseAdding) : saving
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

/** Says of somebody new why they were not added. */
function refuseAdding(thrown: unknown): never {
  if (failureOf(thrown).status !== 412) throw thrown
  throw new Failure('refused', 'This person is here already. Change the role in the list.')
}

function RemoveDialog({
  person,
  onDone,
  onClose,
}: Pick<PersonDialogProps, 'onDone' | 'onClose'> & { readonly person: Listed }) {
  const { email, organizationId } = person
  const action = useAction(
    (client) =>
      client.call('people.remove', {
        params: { email },
        query: inPlace(organizationId),
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

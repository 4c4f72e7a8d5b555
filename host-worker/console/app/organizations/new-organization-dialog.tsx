import { useState } from 'preact/hooks'
import { FormDialog } from '../kit/input/dialog.tsx'
import { TextField } from '../kit/input/field.tsx'
import { toast } from '../kit/toasts/toasts.ts'
import { Failure, failureOf, problemOf } from '../service/failure.ts'
import { useAction } from '../service/use-action.ts'
import { placeOf } from './place/place.ts'
import { PlaceFields } from './place/place-fields.tsx'

interface NewOrganizationProps {
  readonly onClose: () => void
  readonly onCreated: (organizationId: string) => void
}

/** Makes an organization. Everything else of it is set on its page. */
export function NewOrganizationDialog({ onClose, onCreated }: NewOrganizationProps) {
  const [id, setId] = useState('')
  const [name, setName] = useState('')
  const [parentId, setParentId] = useState('')
  const [place, setPlace] = useState('shared')
  const [where, setWhere] = useState('')
  const create = useAction(
    async (client) => {
      // A child lives where its parent does.
      const kin = parentId.trim() === '' ? placeOf(place, where) : { parentId: parentId.trim() }
      const call = { params: { organizationId: id.trim() }, body: { name: name.trim(), ...kin } }
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
  const isPlaced = idProblem !== null || nameProblem !== null
  return (
    <FormDialog
      title="New organization"
      verb="Create"
      action={{ ...create, failure: isPlaced ? null : create.failure }}
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
      <TextField
        label="Parent"
        hint="The identifier of the organization above it. Left empty: none."
        value={parentId}
        onValue={setParentId}
        error={problemOf(create.failure, 'parentId')}
      />
      {parentId.trim() === '' && (
        <PlaceFields place={place} where={where} onPlace={setPlace} onWhere={setWhere} />
      )}
    </FormDialog>
  )
}

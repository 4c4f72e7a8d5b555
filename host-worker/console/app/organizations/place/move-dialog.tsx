import { useState } from 'preact/hooks'
import { DialogText, FormDialog } from '../../kit/input/dialog.tsx'
import { toast } from '../../kit/toasts/toasts.ts'
import { useAction } from '../../service/use-action.ts'
import { placeOf } from './place.ts'
import { PlaceFields } from './place-fields.tsx'

interface MoveProps {
  readonly organizationId: string
  readonly from: 'own' | 'shared'
  readonly onClose: () => void
  readonly onBegun: (moveId: string) => void
}

/** Begins the move of an organization, with all below it, to another place. */
export function MoveDialog({ organizationId, from, onClose, onBegun }: MoveProps) {
  const [place, setPlace] = useState<string>(from === 'own' ? 'shared' : 'own')
  const [where, setWhere] = useState('')
  const begin = useAction(
    (client) => client.call('moves.begin', { params: { organizationId }, body: placeOf(place, where) }),
    ({ move }) => {
      if (move !== null) onBegun(move.moveId)
      else {
        toast('It is there already.')
        onClose()
      }
    },
  )
  return (
    <FormDialog title={`Move ${organizationId}`} verb="Move" action={begin} onClose={onClose}>
      <DialogText>
        <p>
          It moves with all organizations below it, and is served meanwhile. When it switches, its writes wait
          for about a second.
        </p>
      </DialogText>
      <PlaceFields place={place} where={where} onPlace={setPlace} onWhere={setWhere} />
    </FormDialog>
  )
}

import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/states.tsx'
import { toast } from '../kit/toasts.ts'
import { useAction } from '../service/use-action.ts'
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
    <Dialog title={`Move ${organizationId}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          begin.run(undefined)
        }}
      >
        <div class="dialog-text">
          <p>
            It moves with all organizations below it, and is served meanwhile. When it switches, its writes
            wait for about a second.
          </p>
        </div>
        <PlaceFields place={place} where={where} onPlace={setPlace} onWhere={setWhere} />
        {begin.failure !== null && <FailureNote failure={begin.failure} />}
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isRunning={begin.isRunning}>
            Move
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

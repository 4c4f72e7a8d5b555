import { useEffect, useState } from 'preact/hooks'
import { Button, SelectField, calls, toast } from '../kit/controls.tsx'
import { DialogText, FormDialog } from '../kit/dialog.tsx'
import { Card, Facts, FailureNote, ProgressBar, Shown, countText, sizeText } from '../kit/page.tsx'
import { useAction, useCall } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'
import { useMay } from '../session.tsx'
import type { ShownOrganization } from './organization.ts'
import { jurisdictionTexts, placeOf, regionTexts, wheres } from './settings.ts'

interface PlaceProps {
  readonly organization: ShownOrganization
  /** Reads the organization again. */
  readonly onMoved: () => void
}

/** Where an organization lives, and its move to another place. */
export function PlaceCard({ organization, onMoved }: PlaceProps) {
  const { organizationId, place, region, jurisdiction, sizeBytes, archive, move } = organization
  const parentId = 'name' in organization ? organization.parentId : null
  const mayMove = useMay('moves.begin')
  const [isChoosing, setChoosing] = useState(false)
  // A move that has ended stays until its page goes, with what came of it.
  const [begun, setBegun] = useState<string | null>(null)
  const watched = move?.moveId ?? begun
  const close = (): void => {
    setChoosing(false)
  }
  return (
    <Card title="Place">
      <Facts
        facts={[
          ['Database', place === 'own' ? 'One of its own' : 'The shared one'],
          ['Region', region === null ? 'Anywhere' : regionTexts[region]],
          ['Jurisdiction', jurisdiction === null ? 'Anywhere' : jurisdictionTexts[jurisdiction]],
          ['Size', sizeBytes === null ? null : sizeText(sizeBytes)],
          ['Restored from', archive ?? null],
        ]}
      />
      {watched !== null && (
        <MoveProgress
          key={watched}
          moveId={watched}
          onEnded={() => {
            setBegun(watched)
            onMoved()
          }}
        />
      )}
      {mayMove && parentId !== null && (
        <p class="soft">It moves with the family of its parent, {parentId}.</p>
      )}
      {mayMove && parentId === null && move === undefined && (
        <Button onClick={calls(setChoosing, true)}>Move</Button>
      )}
      {isChoosing && (
        <MoveDialog
          organizationId={organizationId}
          from={place}
          onClose={close}
          onBegun={(moveId) => {
            close()
            setBegun(moveId)
            onMoved()
          }}
        />
      )}
    </Card>
  )
}

interface MoveProps {
  readonly organizationId: string
  readonly from: 'own' | 'shared'
  readonly onClose: () => void
  readonly onBegun: (moveId: string) => void
}

/** Begins the move of an organization, with all below it, to another place. */
function MoveDialog({ organizationId, from, onClose, onBegun }: MoveProps) {
  const place = usePlace(from === 'own' ? 'shared' : 'own')
  const begin = useAction(
    (client) => client.call('moves.begin', { params: { organizationId }, body: place.chosen }),
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
      {place.fields}
    </FormDialog>
  )
}

const places = [
  { value: 'shared', label: 'The database that organizations share' },
  { value: 'own', label: 'A database of its own' },
]

/** The controls by which a person chooses where a family lives, and what is chosen, as the operations take it. */
export function usePlace(initial: 'own' | 'shared') {
  const [place, setPlace] = useState<string>(initial)
  const [where, setWhere] = useState('')
  const fields = (
    <>
      <SelectField label="Database" value={place} onValue={setPlace} options={places} />
      {place === 'own' && <SelectField label="Where" value={where} onValue={setWhere} options={wheres} />}
    </>
  )
  return { fields, chosen: placeOf(place, where) }
}

type Move = BodyOf<'moves.show'>

/** How often the service is asked how far a move is, in ms. */
const LOOK_MS = 700

interface MoveProgressProps {
  readonly moveId: string
  /** Called once, when the move has ended. */
  readonly onEnded: () => void
}

/** How far a move is, and what came of it. */
function MoveProgress({ moveId, onEnded }: MoveProgressProps) {
  const [isEnded, setEnded] = useState(false)
  const reading = useCall('moves.show', { params: { moveId } }, isEnded ? {} : { everyMs: LOOK_MS })
  const hasEnded = reading.state === 'ready' && reading.data.endedAt !== null
  useEffect(() => {
    if (!hasEnded) return
    setEnded(true)
    onEnded()
  }, [hasEnded])
  return (
    <div class="progress" role="status">
      <Shown reading={reading} lines={1}>
        {(move) =>
          move.endedAt === null ? (
            <Running move={move} onAsked={reading.reload} />
          ) : (
            <p class={move.phase === 'done' ? 'note good' : 'note'}>{outcomeText(move)}</p>
          )
        }
      </Shown>
    </div>
  )
}

function Running({ move, onAsked }: { readonly move: Move; readonly onAsked: () => void }) {
  const mayAbort = useMay('moves.begin')
  const { organizationId, phase, table, tables, copiedRows } = move
  const abort = useAction((client) => client.call('moves.abort', { params: { organizationId } }), onAsked)
  return (
    <>
      <p>
        {phaseTexts[phase]} Rows copied: {countText(copiedRows)}.
      </p>
      <ProgressBar label="Tables of the move" done={tables === 0 ? null : table} most={tables} />
      {abort.failure !== null && <FailureNote failure={abort.failure} />}
      {mayAbort && phase === 'copying' && (
        <Button isRunning={abort.isRunning} onClick={calls(abort.run, undefined)}>
          Give the move up
        </Button>
      )}
    </>
  )
}

/** What a move is doing, in a sentence. */
const phaseTexts: Readonly<Record<Move['phase'], string>> = {
  copying: 'Rows are copied, while it is served where it was.',
  switching: 'It switches: its writes wait for a moment.',
  switched: 'It lives in the new place.',
  comparing: 'It lives in the new place. The rows of both are compared.',
  done: 'It is done.',
  aborting: 'It is given up.',
  aborted: 'It was given up.',
}

function outcomeText({ phase, to, copiedRows, pausedMs, failure }: Move): string {
  if (phase !== 'done') return `The move was given up, and everything is as it was. ${failure ?? ''}`
  const where = to === 'own' ? 'a database of its own' : 'the shared database'
  return `It lives in ${where}. Rows moved: ${countText(copiedRows)}; its writes waited for ${countText(pausedMs ?? 0)} ms.`
}

import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { FailureNote, Shown } from '../../kit/states.tsx'
import { countText } from '../../kit/text.ts'
import { useAction } from '../../service/use-action.ts'
import { useCall } from '../../service/use-query.ts'
import { useMay } from '../../session/session.ts'
import type { Move } from './place.ts'
import { isAbortable, phaseText } from './place.ts'

/** How often the service is asked how far a move is, in ms. */
const LOOK_MS = 700

interface MoveProgressProps {
  readonly moveId: string
  /** Called once, when the move has ended. */
  readonly onEnded: () => void
}

/** How far a move is, and what came of it. */
export function MoveProgress({ moveId, onEnded }: MoveProgressProps) {
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
  const mayAbort = useMay('admin')
  const { organizationId, table, tables, copiedRows } = move
  const abort = useAction((client) => client.call('moves.abort', { params: { organizationId } }), onAsked)
  return (
    <>
      <p>
        {phaseText(move)} Rows copied: {countText(copiedRows)}.
      </p>
      <ProgressBar label="Tables of the move" done={tables === 0 ? null : table} most={tables} />
      {abort.failure !== null && <FailureNote failure={abort.failure} />}
      {mayAbort && isAbortable(move) && (
        <Button
          isRunning={abort.isRunning}
          onClick={() => {
            abort.run(undefined)
          }}
        >
          Give the move up
        </Button>
      )}
    </>
  )
}

function outcomeText({ phase, to, copiedRows, pausedMs, failure }: Move): string {
  if (phase !== 'done') return `The move was given up, and everything is as it was. ${failure ?? ''}`
  const where = to === 'own' ? 'a database of its own' : 'the shared database'
  return `It lives in ${where}. Rows moved: ${countText(copiedRows)}; its writes waited for ${countText(pausedMs ?? 0)} ms.`
}

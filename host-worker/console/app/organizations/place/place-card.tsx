import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { Facts } from '../../kit/facts.tsx'
import { sizeText } from '../../kit/text.ts'
import { useMay } from '../../session/session.ts'
import type { ShownOrganization } from '../context.ts'
import { MoveDialog } from './move-dialog.tsx'
import { MoveProgress } from './move-progress.tsx'
import { jurisdictionTexts, regionTexts } from './place.ts'

interface PlaceProps {
  readonly organization: ShownOrganization
  /** Reads the organization again. */
  readonly onMoved: () => void
}

/** Where an organization lives, and its move to another place. */
export function PlaceCard({ organization, onMoved }: PlaceProps) {
  const { organizationId, place, region, jurisdiction, sizeBytes, archive, move } = organization
  const parentId = 'name' in organization ? organization.parentId : null
  const mayMove = useMay('admin')
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
        <Button
          onClick={() => {
            setChoosing(true)
          }}
        >
          Move
        </Button>
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

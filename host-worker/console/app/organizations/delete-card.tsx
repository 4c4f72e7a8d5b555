import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ConfirmDialog } from '../kit/input/dialog.tsx'
import { ProgressBar } from '../kit/progress-bar.tsx'
import { countText } from '../kit/text.ts'
import { toast } from '../kit/toasts/toasts.ts'
import { repeated } from '../service/repeated.ts'
import { useLongAction } from '../service/use-long-action.ts'

/** Removes an organization with everything that is stored of it. */
export function DeleteCard({ organizationId }: { readonly organizationId: string }) {
  const [isAsking, setAsking] = useState(false)
  const [, goTo] = useLocation()
  const removal = useLongAction<number, undefined, number>(
    async (client, _input, { signal, report }) => {
      const call = { params: { organizationId }, body: { confirm: organizationId } }
      let removed = 0
      for (let isDone = false; !isDone;) {
        const answer = await repeated(signal, () => client.call('organizations.delete', call, signal))
        removed += Object.values(answer.rows).reduce((sum, rows) => sum + rows, 0)
        report(removed)
        ;({ isDone } = answer)
      }
      return removed
    },
    (removed) => {
      toast(`${organizationId} is deleted, with ${countText(removed)} rows.`)
      goTo('/organizations')
    },
  )
  return (
    <Card title="Delete">
      <p class="soft">
        Its keys and forms end first, then everything that is stored of it is removed. Backups and the audit
        stay.
      </p>
      <Button
        kind="danger"
        onClick={() => {
          setAsking(true)
        }}
      >
        Delete the organization
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${organizationId}?`}
          verb="Delete for ever"
          typed={organizationId}
          action={removal}
          onClose={() => {
            removal.stop()
            setAsking(false)
          }}
        >
          <p>There is no way back but a backup. Once it has begun, the organization is closed.</p>
          {removal.isRunning && (
            <div class="progress" role="status">
              <p>Rows removed: {countText(removal.progress ?? 0)}</p>
              <ProgressBar label="Deletion" done={null} most={0} />
            </div>
          )}
        </ConfirmDialog>
      )}
    </Card>
  )
}

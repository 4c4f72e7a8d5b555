import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { download } from '../kit/saving/download.ts'
import { CheckField } from '../kit/input/field.tsx'
import { ProgressBar } from '../kit/progress-bar.tsx'
import { FailureNote } from '../kit/states.tsx'
import { countText, sizeText } from '../kit/text.ts'
import { toast } from '../kit/toasts/toasts.ts'
import { useLongAction } from '../service/use-long-action.ts'
import type { ExportProgress } from './export-archive.ts'

/** Everything that is stored of an organization, as a file. */
export function ExportCard({ organizationId }: { readonly organizationId: string }) {
  const [withSecrets, setWithSecrets] = useState(false)
  const archive = useLongAction<ExportProgress, undefined, Blob>(
    async (client, _input, work) => {
      // Loaded on demand: few visits export anything.
      const { exportArchive } = await import('./export-archive.ts')
      return exportArchive(client, organizationId, withSecrets, work)
    },
    (content) => {
      download(`${organizationId}.tar`, content)
      toast(`The archive is complete: ${sizeText(content.size)}.`)
    },
  )
  const { progress } = archive
  return (
    <Card title="Export">
      <p class="soft">
        One file with all that is stored of it, from which it can be restored here or elsewhere. Keep it as
        safe as the service: it holds every contact and answer.
      </p>
      <CheckField
        label="With keys and the hashes of form passwords"
        isChecked={withSecrets}
        onChecked={setWithSecrets}
      />
      {archive.isRunning && (
        <div class="progress" role="status">
          <p>
            {progress?.pass === 'writing' ? 'Writing' : 'Reading'}: {countText(progress?.rows ?? 0)} rows
          </p>
          <ProgressBar label="Export" done={null} most={0} />
        </div>
      )}
      {archive.failure !== null && <FailureNote failure={archive.failure} />}
      <div class="buttons">
        <Button
          isRunning={archive.isRunning}
          onClick={() => {
            archive.run(undefined)
          }}
        >
          Download the archive
        </Button>
        {archive.isRunning && <Button onClick={archive.stop}>Stop</Button>}
      </div>
    </Card>
  )
}

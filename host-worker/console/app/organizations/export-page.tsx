import { useState } from 'preact/hooks'
import { Button, CheckField, calls, download, toast } from '../kit/controls.tsx'
import { Card, FailureNote, ProgressBar, countText, sizeText } from '../kit/page.tsx'
import { useLongAction } from '../service/hooks.ts'
import { useIdentity } from '../session.tsx'
import type { ExportProgress } from './export-archive.ts'
import type { OrganizationProps } from './organization.ts'

/** Everything that is stored of an organization, as a file. */
export function Page({ organizationId }: OrganizationProps) {
  // Only operators get secrets, whoever else may export.
  const mayHaveSecrets = useIdentity().role === 'admin'
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
        One file with all that is stored of this organization, from which it can be restored here or
        elsewhere. Keep it as safe as the service: it holds every contact and answer.
      </p>
      {mayHaveSecrets && (
        <CheckField
          label="With keys and the hashes of form passwords"
          isChecked={withSecrets}
          onChecked={setWithSecrets}
        />
      )}
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
        <Button isRunning={archive.isRunning} onClick={calls(archive.run, undefined)}>
          Download the archive
        </Button>
        {archive.isRunning && <Button onClick={archive.stop}>Stop</Button>}
      </div>
    </Card>
  )
}

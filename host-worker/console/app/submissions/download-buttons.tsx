import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { saveText } from '../kit/saving/save-text.ts'
import { FailureNote } from '../kit/states.tsx'
import { countText } from '../kit/text.ts'
import { toast } from '../kit/toasts/toasts.ts'
import { useAction } from '../service/use-action.ts'
import type { Format } from './formats.ts'
import { formats } from './formats.ts'
import type { InboxFilter } from './inbox-path.ts'

interface DownloadButtonsProps {
  readonly organizationId: string
  readonly filter: InboxFilter
}

/** Downloads every submission of the present filter. */
export function DownloadButtons({ organizationId, filter }: DownloadButtonsProps) {
  const [count, setCount] = useState(0)
  const running = useRef<AbortController | null>(null)
  const download = useAction(
    async (client, format: Format) => {
      const stopped = new AbortController()
      running.current = stopped
      setCount(0)
      try {
        const { fileOf } = await import('./download.ts')
        return await fileOf(client, { organizationId, filter, format }, setCount, stopped.signal)
      } catch (thrown) {
        if (stopped.signal.aborted) return null
        throw thrown
      }
    },
    (file) => {
      if (file === null) return
      saveText(file.name, file.type, ...file.parts)
      toast(`${file.name} is being downloaded.`)
    },
  )
  const stop = (): void => {
    running.current?.abort()
  }
  useEffect(() => stop, [organizationId, filter.formId, filter.contactId])
  return (
    <div class="downloads">
      <div class="buttons">
        {formats.map((format) => (
          <Button
            key={format}
            isRunning={download.isRunning}
            onClick={() => {
              download.run(format)
            }}
          >
            Download {format.toUpperCase()}
          </Button>
        ))}
        {download.isRunning && <Button onClick={stop}>Stop</Button>}
      </div>
      <p role="status" class="soft">
        {download.isRunning && `${countText(count)} read so far`}
      </p>
      {download.failure !== null && <FailureNote failure={download.failure} />}
    </div>
  )
}

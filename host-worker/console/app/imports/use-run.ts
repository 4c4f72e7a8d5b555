import { useEffect, useState } from 'preact/hooks'
import type { ImportOutcome } from '../../../../domain/imports/file/transfer-file.ts'
import { toast } from '../kit/toasts/toasts.ts'
import type { Failure } from '../service/failure.ts'
import { useAction } from '../service/use-action.ts'
import { useLongAction } from '../service/use-long-action.ts'
import type { SendProgress, SentFile } from './send-file.ts'
import { sendFile } from './send-file.ts'

/** An import of the page, from its first request to its end. */
export interface Run {
  readonly start: (sent: SentFile) => void
  /** Goes on where a lost connection stopped it. */
  readonly goOn: () => void
  readonly cancel: () => void
  readonly isRunning: boolean
  readonly progress: SendProgress | null
  /** Why it could not go on; null: it could. */
  readonly failure: Failure | null
  /** What the last one came to; null: there was none, or it runs. */
  readonly ended: { readonly sent: SentFile; readonly outcome: ImportOutcome } | null
}

/** @param onChanged called when an import is open, and when it has ended */
export function useRun(onChanged: () => void): Run {
  const [sent, setSent] = useState<SentFile | null>(null)
  const [ended, setEnded] = useState<Run['ended']>(null)
  const sending = useLongAction<SendProgress, SentFile, ImportOutcome>(sendFile, (outcome, input) => {
    setEnded({ sent: input, outcome })
    onChanged()
  })
  const abort = useAction(
    (client, params: { readonly organizationId: string; readonly importId: string }) =>
      client.call('imports.abort', { params }),
    () => {
      toast('The import is given up. Nothing of it was written.')
      onChanged()
    },
  )
  const importId = sending.progress?.importId ?? null
  useEffect(() => {
    if (importId !== null) onChanged()
  }, [importId])
  const start = (input: SentFile): void => {
    setSent(input)
    setEnded(null)
    abort.forget()
    sending.run(input)
  }
  return {
    start,
    goOn: () => {
      if (sent !== null) start(sent)
    },
    cancel: () => {
      sending.stop()
      if (sent !== null && importId !== null) abort.run({ organizationId: sent.organizationId, importId })
    },
    isRunning: sending.isRunning,
    progress: sending.progress,
    failure: sending.failure ?? abort.failure,
    ended,
  }
}

import { systemClock } from '../../system.ts'

/** Shows the progress of a long job in one line of a terminal. Without a terminal it shows nothing. */
export interface Progress {
  /** Shows the count, at most five times a second. The first and the last count of a label are always shown. */
  update(label: string, rows: number): void
  /** Clears the line. */
  end(): void
}

const REDRAW_MS = 200

/** The stream for the output, such as `process.stderr`. */
type Terminal = Pick<NodeJS.WriteStream, 'isTTY'> & { write(text: string): unknown }

/** @param terminal the stream to which the line is written, if it is a terminal */
export function createProgress(terminal: Terminal, nowMs: () => number): Progress {
  if (!terminal.isTTY) return { update: () => undefined, end: () => undefined }
  let label = ''
  let startedMs = nowMs()
  let drawnMs = 0
  let waitingRows: number | null = null
  const draw = (rows: number) => {
    const rate = Math.round((rows * 1000) / Math.max(nowMs() - startedMs, 1))
    terminal.write(
      `\r\u001b[K${label}: ${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second`,
    )
  }
  const drawWaiting = () => {
    if (waitingRows !== null) draw(waitingRows)
    waitingRows = null
  }
  return {
    update: (current, rows) => {
      const isNew = current !== label
      if (isNew) {
        drawWaiting()
        if (label !== '') startedMs = nowMs()
        label = current
      }
      waitingRows = rows
      if (!isNew && nowMs() - drawnMs < REDRAW_MS) return
      drawnMs = nowMs()
      drawWaiting()
    },
    end: () => {
      drawWaiting()
      terminal.write('\r\u001b[K')
    },
  }
}

/** Does a long job, with its progress on the terminal. */
export async function withProgress<Result>(
  work: (update: Progress['update']) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(process.stderr, () => systemClock.nowMs())
  try {
    return await work((label, rows) => {
      progress.update(label, rows)
    })
  } finally {
    progress.end()
  }
}

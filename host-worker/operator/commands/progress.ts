/** Shows how far a long job is, in one line of a terminal; elsewhere it shows nothing. */
export interface Progress {
  update(label: string, rows: number): void
  /** Clears the line. */
  end(): void
}

const REDRAW_MS = 200

/** @param terminal the stream to draw on, when it is a terminal */
export function createProgress(terminal: NodeJS.WriteStream, nowMs: () => number): Progress {
  if (!terminal.isTTY) return { update: () => undefined, end: () => undefined }
  let label = ''
  let startedMs = nowMs()
  let drawnMs = 0
  const draw = (rows: number) => {
    const rate = Math.round((rows * 1000) / Math.max(nowMs() - startedMs, 1))
    terminal.write(
      `\r\u001b[K${label}: ${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second`,
    )
  }
  return {
    update: (current, rows) => {
      const isNew = current !== label
      if (isNew && label !== '') startedMs = nowMs()
      label = current
      if (!isNew && nowMs() - drawnMs < REDRAW_MS) return
      drawnMs = nowMs()
      draw(rows)
    },
    end: () => terminal.write('\r\u001b[K'),
  }
}

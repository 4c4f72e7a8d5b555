import type { Deadline } from '../../ports/platform.ts'

/** The work took too long. It may still be running, and may still take effect. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/**
 * Waits for work at most `durationMs`, then rejects with `TimedOut`. Rejects with the work's own error when that comes
 * first.
 */
export async function within<Value>(
  deadline: Deadline,
  durationMs: number,
  work: Promise<Value>,
): Promise<Value> {
  const signal = deadline.after(durationMs)
  let onAbort = (): void => undefined
  const expired = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(new TimedOut(`Nothing came back within ${durationMs} ms`))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Whichever promise lost the race may still reject, which must not count as unhandled.
    work.catch(() => undefined)
    expired.catch(() => undefined)
  }
}

/** Runs a task for each item, at most `width` at once. A task must handle its own failures and never reject. */
export async function eachOf<Item>(
  items: Iterable<Item>,
  width: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await task(next.value)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Waits for `durationMs` milliseconds. Never rejects. */
export async function pause(deadline: Deadline, durationMs: number): Promise<void> {
  const signal = deadline.after(durationMs)
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve()
      },
      { once: true },
    )
  })
}

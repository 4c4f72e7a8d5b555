import { concatenated } from '../text/encoding.ts'

/** The result of reading a stream: its bytes, or why there are none. */
export type LimitedRead =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'too_large' }
  /**
   * The sender disconnected, or was slower than the signal allows. `cause` is what the stream or the signal gave as
   * reason.
   */
  | { readonly kind: 'incomplete'; readonly cause: unknown }

/**
 * Reads a stream to its end, but never more than one chunk past `maxBytes` and never longer than `signal` allows.
 * The stream is not cancelled when reading stops early: on some hosts that would close the connection before the
 * answer is sent. After `maxBytes` the rest can be read by another reader.
 */
export async function readLimited(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<LimitedRead> {
  const chunks: Uint8Array[] = []
  const end = await readChunks(stream, maxBytes, signal, (chunk) => chunks.push(chunk))
  return end === null ? { kind: 'bytes', bytes: concatenated(chunks) } : end
}

/** Like `readLimited`, but keeps nothing of what it reads. */
export async function dropLimited(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  await readChunks(stream, maxBytes, signal, () => undefined)
}

/** Passes on each chunk of a stream. Returns why there are no more of them; null: the stream has ended. */
async function readChunks(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
  take: (chunk: Uint8Array) => void,
): Promise<Exclude<LimitedRead, { readonly kind: 'bytes' }> | null> {
  const { aborted, stopListening } = listen(signal)
  const reader = stream.getReader()
  let length = 0
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), aborted])
      if (next === null) return { kind: 'incomplete', cause: signal.reason }
      if (next.done) return null
      length += next.value.length
      if (length > maxBytes) {
        reader.releaseLock()
        return { kind: 'too_large' }
      }
      if (next.value.length > 0) take(next.value)
    }
  } catch (cause) {
    return { kind: 'incomplete', cause }
  } finally {
    stopListening()
  }
}

/**
 * Reads a body in one go, which costs a third less than reading it piece by piece. Only for a body of which the host
 * delivers no more than its declared length. The length is checked all the same.
 */
export async function readDeclared(body: Body, maxBytes: number, signal: AbortSignal): Promise<LimitedRead> {
  const { aborted, stopListening } = listen(signal)
  try {
    const read = await Promise.race([body.arrayBuffer(), aborted])
    if (read === null) return { kind: 'incomplete', cause: signal.reason }
    return read.byteLength > maxBytes ? { kind: 'too_large' } : { kind: 'bytes', bytes: new Uint8Array(read) }
  } catch (cause) {
    return { kind: 'incomplete', cause }
  } finally {
    stopListening()
  }
}

function listen(signal: AbortSignal): { aborted: Promise<null>; stopListening: () => void } {
  let stopListening = (): void => undefined
  const aborted = new Promise<null>((resolve) => {
    const onAbort = (): void => {
      resolve(null)
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    stopListening = () => {
      signal.removeEventListener('abort', onAbort)
    }
  })
  return { aborted, stopListening }
}

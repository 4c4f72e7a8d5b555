import type { R2Bucket, R2MultipartUpload, R2UploadedPart } from '@cloudflare/workers-types'
import { concatenated } from '../../domain/text/encoding.ts'
import type { ArchiveStore, StoredArchive } from '../../ports/organization-store.ts'

/** The size of the parts of an upload. R2 wants at least 5 MiB, and all but the last of one size. */
const PART_BYTES = 8 * 1024 * 1024

/** Archives in an R2 bucket. No I/O. */
export function createR2Archives(bucket: R2Bucket): ArchiveStore {
  return {
    async put(name, pieces) {
      const parts = partsOf(pieces)
      const first = await parts.next()
      const second = first.done === true ? first : await parts.next()
      if (second.done === true) {
        // The bucket's own type for bytes is that of the platform.
        await bucket.put(name, first.done === true ? new Uint8Array(0) : first.value)
        return
      }
      const upload = await bucket.createMultipartUpload(name)
      try {
        const uploaded = [await upload.uploadPart(1, given(first)), await upload.uploadPart(2, second.value)]
        await upload.complete([...uploaded, ...(await uploadRest(upload, parts))])
      } catch (error) {
        // Left alone, an upload that was begun is removed by the bucket after a week.
        await upload.abort().catch(() => undefined)
        throw error
      }
    },

    async list(after, limit) {
      const found: StoredArchive[] = []
      let startAfter = after ?? undefined
      while (found.length < limit) {
        const page = await bucket.list({
          limit: Math.min(limit - found.length, 1000),
          ...(startAfter === undefined ? {} : { startAfter }),
        })
        found.push(...page.objects.map(({ key, size }) => ({ name: key, bytes: size })))
        startAfter = page.objects.at(-1)?.key
        if (!page.truncated) break
      }
      return found
    },

    async read(name, offset, length) {
      const head = await bucket.head(name)
      if (head === null) return null
      // A range beyond the end would be an error.
      if (offset >= head.size) return new Uint8Array(0)
      const object = await bucket.get(name, {
        range: { offset, length: Math.min(length, head.size - offset) },
      })
      return object === null ? null : new Uint8Array(await object.arrayBuffer())
    },

    remove: (name) => bucket.delete(name),
  }
}

function given(result: IteratorResult<Uint8Array<ArrayBuffer>, undefined>): Uint8Array<ArrayBuffer> {
  return result.value ?? new Uint8Array(0)
}

async function uploadRest(
  upload: R2MultipartUpload,
  parts: AsyncIterable<Uint8Array<ArrayBuffer>>,
): Promise<readonly R2UploadedPart[]> {
  const uploaded: R2UploadedPart[] = []
  for await (const part of parts) uploaded.push(await upload.uploadPart(uploaded.length + 3, part))
  return uploaded
}

/** The bytes in parts of one size; the last one may be smaller. */
async function* partsOf(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    let rest = piece
    while (bytes + rest.length >= PART_BYTES) {
      const end = PART_BYTES - bytes
      yield concatenated([...waiting, rest.subarray(0, end)])
      rest = rest.subarray(end)
      waiting = []
      bytes = 0
    }
    if (rest.length > 0) waiting.push(rest.slice())
    bytes += rest.length
  }
  if (bytes > 0) yield concatenated(waiting)
  return undefined
}

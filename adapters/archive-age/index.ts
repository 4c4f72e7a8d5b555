import { Decrypter, Encrypter } from 'age-encryption'
import type { ArchiveSeal } from '../../ports/organization-store.ts'

/**
 * Encrypts archives to a public key (`age1…`), in the format of age (https://age-encryption.org/v1). Throws for a text
 * that is no public key.
 */
export function sealTo(recipient: string): ArchiveSeal {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return (archive) => transformed(archive, (stream) => encrypter.encrypt(stream))
}

/** Decrypts archives with a secret key (`AGE-SECRET-KEY-1…`). Throws for a text that is none. */
export function openWith(identity: string): ArchiveSeal {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return (archive) => transformed(archive, (stream) => decrypter.decrypt(stream))
}

type Stream = ReadableStream<Uint8Array>

async function* transformed(
  pieces: AsyncIterable<Uint8Array>,
  transform: (stream: Stream) => Promise<Stream>,
): AsyncGenerator<Uint8Array> {
  const reader = (await transform(streamOf(pieces))).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // The rest is not wanted when the consumer stopped; a stream that has ended is not changed by this.
    await reader.cancel().catch(() => undefined)
  }
}

function streamOf(pieces: AsyncIterable<Uint8Array>): Stream {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

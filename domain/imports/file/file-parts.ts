import { concatenated, fromBase64Url, toBase64Url } from '../../text/encoding.ts'

/** The bytes of an import. Each `open` reads them from the start. */
export interface ImportSource {
  open(): AsyncIterable<Uint8Array>
}

/** A part of a file as it was sent. */
export interface ReceivedPart {
  /** Counts from 1. */
  readonly part: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the bytes, base64url, as the sender computed it. */
  readonly digest: string
}

/** Cuts bytes into parts of one size; the last one may be shorter. */
export async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const given of source) {
    let piece = given
    while (length + piece.length >= partBytes) {
      const end = partBytes - length
      yield concatenated([...pieces, piece.subarray(0, end)])
      piece = piece.subarray(end)
      pieces = []
      length = 0
    }
    // The source may reuse its buffer for the next piece.
    if (piece.length > 0) pieces.push(piece.slice())
    length += piece.length
  }
  if (length > 0) yield concatenated(pieces)
}

/** SHA-256 of bytes, base64url. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/**
 * The digest of a file: SHA-256 of the concatenated digests of its parts. Unlike a digest of the bytes, it can be
 * computed from parts that arrive in separate requests.
 * @param digests the digests of the parts in order, base64url
 */
export function digestOfParts(digests: readonly string[]): Promise<string> {
  return sha256(concatenated(digests.map((digest) => fromBase64Url(digest) ?? new Uint8Array(0))))
}

/** The digest of a part as the header `Content-Digest` has it (RFC 9530). */
export function contentDigest({ digest }: Pick<ReceivedPart, 'digest'>): string {
  return `sha-256=:${digest.replaceAll('-', '+').replaceAll('_', '/')}=:`
}

import { sha256 } from '@noble/hashes/sha2.js'
import {
  calledSource,
  ChangedMeanwhile,
  writeArchive,
} from '../../../../domain/organizations/write-archive.ts'
import { Failure, repeated, type Client, type Work } from '../service/client.ts'

type OpenDigest = Parameters<typeof writeArchive>[0]['openDigest']

/** The browser's own digest takes a file as a whole, which may not fit into memory. */
const openDigest: OpenDigest = () => {
  const hash = sha256.create()
  return {
    update: async (bytes) => void hash.update(bytes),
    end: async () => Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
}

/** How often an archive is begun, when the organization keeps changing. */
const TRIES_MAX = 10

/** Pieces are handed to the browser, which may keep them on disk, whenever they are that large. */
const PIECE_BYTES = 4 * 1024 * 1024

export interface ExportProgress {
  readonly pass: 'measuring' | 'writing'
  readonly rows: number
}

/** Reads an organization as an archive, the same as that of the command line. Throws a `Failure`. */
export async function exportArchive(
  client: Client,
  organizationId: string,
  withSecrets: boolean,
  { signal, report }: Work<ExportProgress>,
): Promise<Blob> {
  const params = { organizationId }
  const source = calledSource({
    begin: () =>
      repeated(signal, () => client.call('exports.begin', { params, body: { withSecrets } }, signal)),
    read: (body) => repeated(signal, () => client.call('exports.read', { params, body }, signal)),
  })
  const onProgress = (pass: ExportProgress['pass'], rows: number): void => {
    report({ pass, rows })
  }
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    try {
      return await blobOf(writeArchive({ source, openDigest, onProgress }))
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
    }
  }
  throw new Failure(
    'refused',
    `The organization was changed during each of ${TRIES_MAX} attempts, so that no attempt is one state of it. Try again when less is written.`,
  )
}

async function blobOf(archive: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const pieces: Blob[] = []
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const piece of archive) {
    waiting.push(piece)
    bytes += piece.length
    if (bytes < PIECE_BYTES) continue
    pieces.push(new Blob(waiting))
    waiting = []
    bytes = 0
  }
  return new Blob([...pieces, ...waiting], { type: 'application/x-tar' })
}

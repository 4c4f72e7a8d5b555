import { utf8 } from '../text/encoding.ts'

/** Archives are tar files in the format `ustar` (POSIX.1-1988), which every system reads. */
export const BLOCK_BYTES = 512

/** The maximum size of one file: eleven octal digits. */
const FILE_BYTES_MAX = 8 ** 11 - 1

/** The name and size of a file in a tar file. */
export interface TarHeader {
  readonly name: string
  readonly bytes: number
}

/** Positions of a header's parts. */
const NAME = [0, 100] as const
const SIZE = [124, 12] as const
const CHECKSUM = [148, 8] as const
const TYPE = 156
const MAGIC = [257, 8] as const

/** The header block of a file. Owner, time and mode are always the same, so that the same files give the same bytes. */
export function tarHeader({ name, bytes }: TarHeader): Uint8Array<ArrayBuffer> {
  if (bytes > FILE_BYTES_MAX)
    throw new Error(`${name} has ${bytes} bytes; a file of an archive has at most 8 GiB`)
  const block = new Uint8Array(BLOCK_BYTES)
  const put = (start: number, text: string) => {
    block.set(utf8(text), start)
  }
  put(NAME[0], name)
  put(100, '0000644\0')
  put(108, '0000000\0')
  put(116, '0000000\0')
  put(SIZE[0], `${bytes.toString(8).padStart(11, '0')}\0`)
  put(136, '00000000000\0')
  block[TYPE] = 0x30
  put(MAGIC[0], 'ustar\u000000')
  put(CHECKSUM[0], `${checksumOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/** The sum of a header's bytes, with spaces in place of the sum itself. */
function checksumOf(block: Uint8Array): number {
  let sum = 0
  for (let index = 0; index < BLOCK_BYTES; index += 1) {
    const isOwn = index >= CHECKSUM[0] && index < CHECKSUM[0] + CHECKSUM[1]
    sum += isOwn ? 0x20 : (block[index] ?? 0)
  }
  return sum
}

/** How many bytes fill the last block of a file. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES
}

/** The end of a tar file: two empty blocks. */
export const TAR_END = new Uint8Array(2 * BLOCK_BYTES)

/** Reads a header block. Null: it is an empty block, which ends the file. `damaged`: it is no header of a plain file. */
export function readTarHeader(block: Uint8Array): TarHeader | null | 'damaged' {
  if (block.every((byte) => byte === 0)) return null
  const text = ([start, length]: readonly [number, number]) =>
    new TextDecoder('latin1').decode(block.subarray(start, start + length)).replace(/[\0 ].*$/su, '')
  const size = text(SIZE)
  const sum = Number.parseInt(text(CHECKSUM), 8)
  if (!/^[0-7]{1,11}$/.test(size) || sum !== checksumOf(block) || block[TYPE] !== 0x30) return 'damaged'
  return { name: text(NAME), bytes: Number.parseInt(size, 8) }
}

/** The name of the format in manifests, and the version of it that this service writes. Every earlier one can be read. */
export const ARCHIVE_FORMAT = 'tenant-data-archive'
export const ARCHIVE_VERSION = 1

export const MANIFEST = 'manifest.json'
export const ORGANIZATION = 'organization.json'

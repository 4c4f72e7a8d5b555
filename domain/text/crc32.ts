/** Reflected polynomial of CRC-32 as used by zip and Ethernet (ISO 3309). */
const POLYNOMIAL = 0xedb88320

/** CRC-32 of bytes, as an unsigned 32-bit integer. Detects every change of up to 32 adjacent bits. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

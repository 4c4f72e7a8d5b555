import { utf8, decodeUtf8 } from '../../text/encoding.ts'
import { groupEntries, notUtf8, type BodyProblem, type Entries } from '../definition/answers/entries.ts'

/**
 * Reads an `application/x-www-form-urlencoded` body as the URL standard does, with one difference: bytes that are not
 * UTF-8 are refused, where the standard would silently replace them, so that the stored text would differ from the text
 * that was sent.
 */
export function parseUrlencoded(bytes: Uint8Array): Entries | BodyProblem {
  const text = decodeUtf8(bytes)
  if (text === null) return notUtf8
  const pairs: (readonly [string, string])[] = []
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const separator = pair.indexOf('=')
    const name = decodeComponent(separator === -1 ? pair : pair.slice(0, separator))
    const value = decodeComponent(separator === -1 ? '' : pair.slice(separator + 1))
    if (name === null || value === null) return notUtf8
    pairs.push([name, value])
  }
  return groupEntries(pairs)
}

/** Undoes `+` and `%hh`; a `%` without two hexadecimal digits is kept. Null: not UTF-8. */
function decodeComponent(text: string): string | null {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  const bytes = utf8(spaced)
  let length = 0
  for (let index = 0; index < bytes.length; index += 1, length += 1) {
    const escaped = bytes[index] === PERCENT ? hexByte(bytes[index + 1], bytes[index + 2]) : null
    bytes[length] = escaped ?? bytes[index] ?? 0
    if (escaped !== null) index += 2
  }
  return decodeUtf8(bytes.subarray(0, length))
}

const PERCENT = 0x25

function hexByte(high: number | undefined, low: number | undefined): number | null {
  if (high === undefined || low === undefined) return null
  const digits = String.fromCharCode(high, low)
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : null
}

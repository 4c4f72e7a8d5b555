import { withAsciiDomain } from './typed-text.ts'

/** The spellings of an address with an ASCII domain: itself, and with an international domain in its own script. */
export function spellingsOf(address: string): readonly string[] {
  const start = address.lastIndexOf('@') + 1
  const labels = address.slice(start).split('.')
  const own = labels
    .map((label) => (label.startsWith('xn--') ? fromPunycode(label.slice(4)) : label))
    .join('.')
  const spelled = address.slice(0, start) + own
  return withAsciiDomain(spelled) === address && spelled !== address ? [address, spelled] : [address]
}

/** Decodes Punycode (RFC 3492, section 6.2, with its parameters). What is no Punycode gives some other text. */
function fromPunycode(encoded: string): string {
  const end = encoded.lastIndexOf('-')
  const output = Array.from(end > 0 ? encoded.slice(0, end) : '')
  let [position, codePoint, bias] = [0, 128, 72]
  for (let index = end + 1; index < encoded.length;) {
    const start = position
    for (let [weight, step] = [1, 36]; ; step += 36) {
      const digit = Number.parseInt(encoded.charAt(index), 36)
      // Letters come before digits.
      const value = digit < 10 ? digit + 26 : digit - 10
      index += 1
      position += value * weight
      const threshold = Math.min(Math.max(step - bias, 1), 26)
      if (!(value >= threshold)) break
      weight *= 36 - threshold
    }
    const length = output.length + 1
    bias = adapted(position - start, length, start === 0)
    codePoint += Math.floor(position / length)
    position %= length
    // Also when the position is not a number.
    if (!(codePoint <= 0x10ffff)) return encoded
    output.splice(position, 0, String.fromCodePoint(codePoint))
    position += 1
  }
  return output.join('')
}

/** The bias for the next delta (RFC 3492, section 6.1). */
function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / length)
  let bias = 0
  for (; rest > 455; bias += 36) rest = Math.floor(rest / 35)
  return bias + Math.floor((36 * rest) / (rest + 38))
}

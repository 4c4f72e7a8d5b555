const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

/**
 * Whether a JSON text contains more than `max` values. It does not parse the text, because parsed values take up to
 * thirty times the memory of their text. Every value but the first follows a bracket, a brace or a comma, so these are
 * counted; an empty list or object counts as two. For a text that is not JSON the result means nothing.
 */
export function holdsMoreValues(json: string, max: number): boolean {
  let count = 1
  for (let index = 0; index < json.length && count <= max; index += 1) {
    switch (json.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(json, index)
        break
      case COMMA:
      case OPEN_BRACKET:
      case OPEN_BRACE:
        count += 1
    }
  }
  return count > max
}

/** The index at which the string that begins at `start` ends: that of its closing quote, or the end of the text. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, quote: number): boolean {
  let start = quote
  while (json.charCodeAt(start - 1) === BACKSLASH) start -= 1
  return (quote - start) % 2 === 1
}

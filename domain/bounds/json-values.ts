const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

/**
 * Whether a JSON text holds more than `max` values, told without making any of them: a parsed value takes up to thirty
 * times the memory of its text. Every value but the first follows a bracket, a brace or a comma; an empty list or object
 * counts as two. Of a text that is not JSON the answer means nothing.
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

/** Where the string that begins at `start` ends: at its closing quote, or at the end of the text. */
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

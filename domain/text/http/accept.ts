/** Matches `;q=0`, in any spelling of zero: the sender does not accept this type. */
const ZERO_WEIGHT = /^\s*q\s*=\s*"?0(?:\.0*)?"?\s*$/i

/**
 * Whether an `Accept` header names a media type itself: `*\/*` and `text/*` do not count, nor does a weight of 0
 * (RFC 9110, sections 12.4.2 and 12.5.1). Further parameters are ignored.
 * @param header null when the request has none
 * @param mediaType lower-case, without parameters
 */
export function acceptNames(header: string | null, mediaType: string): boolean {
  return split(header ?? '', ',').some((range) => {
    const [name = '', ...parameters] = split(range, ';')
    return name.trim().toLowerCase() === mediaType && !parameters.some((text) => ZERO_WEIGHT.test(text))
  })
}

/** Splits at a separator, but not within quotes, where `\` escapes. A quote that is never closed includes the rest. */
function split(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isQuoted && character === '\\') index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...parts, text.slice(start)]
}

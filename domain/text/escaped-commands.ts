/** A character as JSON escapes it. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A text of any number of lines that does not command a terminal, or turn a line around. */
export function escapedCommands(text: string): string {
  return text.replaceAll(/[^\t\n\r\P{Cc}]|\p{Bidi_Control}/gu, escaped)
}

/** What of a JSON text a terminal would obey: the rest, JSON escapes itself. */
const LEFT_BY_JSON = /[\u{7f}-\u{9f}\p{Bidi_Control}]/gu

/** A JSON text that does not command a terminal. It says the same with and without the escapes. */
export function shownJson(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replaceAll(LEFT_BY_JSON, escaped)
}

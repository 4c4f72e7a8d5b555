/** What a terminal would obey instead of show: control characters, and those that reverse the direction of a line. */
const COMMANDS = /[\p{Cc}\p{Bidi_Control}]/gu
/** The same, but for what JSON escapes itself. A JSON text says the same with and without the escape. */
const LEFT_BY_JSON = /[\u{7f}-\u{9f}\p{Bidi_Control}]/gu

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * A text as a part of a line. Strangers wrote some of what is listed: it neither ends a line or a column, nor commands
 * the terminal.
 */
export function cellOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll(COMMANDS, escaped)
}

/** A JSON text that does not command a terminal. */
export function shownJson(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replaceAll(LEFT_BY_JSON, escaped)
}

/** A text of any number of lines that does not command a terminal. */
export function escapedCommands(text: string): string {
  return text.replaceAll(/[^\t\n\r\P{Cc}]|\p{Bidi_Control}/gu, escaped)
}

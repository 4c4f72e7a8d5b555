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

/** The lines of a stack after its message. */
const FRAMES = /(?:\n {4}at [^\n]*)+\s*$/

/**
 * Where an error was thrown: the first line of its stack after the message. Empty when that is not known. No line of the
 * message counts, because a message may quote the values of a statement, and places are logged.
 */
export function thrownAt({ message, stack = '' }: Error): string {
  const at = stack.indexOf(message)
  const [frames = ''] = FRAMES.exec(at < 0 ? stack : stack.slice(at + message.length)) ?? []
  return frames.trim().split('\n')[0]?.replace(/^at /, '') ?? ''
}

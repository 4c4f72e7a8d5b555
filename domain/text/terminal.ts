/** A character as JSON escapes it. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * The text with its control characters escaped, except tabs and line breaks, and those that change the direction of
 * writing: a terminal would obey the ones, and show a line in another order because of the others.
 */
export function escapedCommands(text: string): string {
  return text.replaceAll(/[^\t\n\r\P{Cc}]|\p{Bidi_Control}/gu, escaped)
}

/** The characters that a terminal would obey and that `JSON.stringify` leaves as they are. */
const LEFT_BY_JSON = /[\u{7f}-\u{9f}\p{Bidi_Control}]/gu

/** A value as JSON that can be shown in a terminal. It parses to the same value as JSON without these escapes. */
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

/** A character as JSON escapes it. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A text of any number of lines that does not command a terminal, or turn a line around. */
export function escapedCommands(text: string): string {
  return text.replaceAll(/[^\t\n\r\P{Cc}]|\p{Bidi_Control}/gu, escaped)
}

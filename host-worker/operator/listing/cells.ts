import stringWidth from 'string-width'
import { escaped } from '../../../domain/text/escaped-commands.ts'

/** What a terminal would obey instead of show: control characters, and those that reverse the direction of a line. */
const COMMANDS = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * A text as a part of a line. Strangers wrote some of what is listed: it neither ends a line or a column, nor commands
 * the terminal.
 */
export function cellOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll(COMMANDS, escaped)
}

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  return stringWidth(text)
}

/** A text of a given width: cut with an ellipsis, or filled with spaces. */
export function fitted(text: string, width: number): string {
  const own = widthOf(text)
  return own <= width ? text + ' '.repeat(width - own) : fitted(`${cut(text, width - 1)}…`, width)
}

const characters = new Intl.Segmenter()

/** The beginning of a text that takes at most so many columns. */
function cut(text: string, width: number): string {
  let beginning = ''
  let left = width
  for (const { segment } of characters.segment(text)) {
    left -= widthOf(segment)
    if (left < 0) return beginning
    beginning += segment
  }
  return beginning
}

import { cutText } from '../text/typed-text.ts'

/** How many attributes a contact has at most, and how long their names and values may be, in characters. */
export const attributeBounds = { most: 50, nameLength: 64, valueLength: 1_000 } as const

/** The maximum number of problems in one reply. More would not help the sender of the request. */
export const PROBLEMS_MAX = 50

/** The maximum number of characters (UTF-16 units) of a caller's text that a reply repeats. */
export const ECHO_MAX_LENGTH = 60

/**
 * A caller's text in the form in which a reply may repeat it: whole when it is short, else its beginning and an
 * ellipsis.
 */
export function echoed(text: string): string {
  return text.length <= ECHO_MAX_LENGTH ? text : `${cutText(text, ECHO_MAX_LENGTH)}…`
}

/** How a message ends about a value that only a setting makes wrong, so that whoever reads it looks there too. */
export const OF_SETTING = 'is a setting of the organization'

import { cutText } from '../text/cut-text.ts'

/** Most problems that one answer lists: whoever wrote the request needs no more to find out why. */
export const PROBLEMS_MAX = 50

/** Most characters (UTF-16 units) of a stranger's text that an answer repeats. */
export const ECHO_MAX_LENGTH = 60

/** A stranger's text as an answer may repeat it: whole when it is short, else its beginning and an ellipsis. */
export function echoed(text: string): string {
  return text.length <= ECHO_MAX_LENGTH ? text : `${cutText(text, ECHO_MAX_LENGTH)}…`
}

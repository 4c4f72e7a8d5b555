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

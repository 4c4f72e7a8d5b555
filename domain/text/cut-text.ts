/** The first `length` UTF-16 units of a text, one fewer where that would split a surrogate pair. */
export function cutText(text: string, length: number): string {
  const start = text.slice(0, length)
  return start.isWellFormed() ? start : start.slice(0, -1)
}

/** The first `length` UTF-16 units of a text, one fewer where that would split a surrogate pair. */
export function cutText(text: string, length: number): string {
  const isSplit =
    length > 0 &&
    length < text.length &&
    /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(length - 1, length + 1))
  return text.slice(0, isSplit ? length - 1 : length)
}

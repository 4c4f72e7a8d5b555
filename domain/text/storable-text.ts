/**
 * Whether a text can be stored unchanged, and read again. Databases store UTF-8, in which a lone surrogate has no form,
 * and some end a text at NUL.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

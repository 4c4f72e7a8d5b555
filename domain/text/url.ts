/** The parsed URL (URL standard), or null when the text is none. As `URL.parse`, which Node 20 lacks. */
export function parseUrl(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null
}

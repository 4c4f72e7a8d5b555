/** The ETags of answers, each for as long as the page keeps the answer. */
const versions = new WeakMap<object, string>()

/** Keeps the ETag of an answer, if it has one. */
export function rememberVersion(body: object, { headers }: Response): void {
  const etag = headers.get('etag')
  if (etag !== null) versions.set(body, etag)
}

/**
 * Says of an answer that it is based on another one: what was changed between the two was not seen, so a change that
 * replaces it is refused if there was anything.
 */
export function basedOn<Body extends object>(body: Body, seen: object): Body {
  const etag = versions.get(seen)
  if (etag !== undefined) versions.set(body, etag)
  return body
}

/** The headers of a change that replaces an answer (null: nothing; undefined: whatever there is). */
export function conditionOf(replaces: object | null | undefined): Readonly<Record<string, string>> {
  if (replaces === undefined) return {}
  if (replaces === null) return { 'if-none-match': '*' }
  const etag = versions.get(replaces)
  if (etag === undefined) throw new Error('what was shown has no ETag')
  return { 'if-match': etag }
}

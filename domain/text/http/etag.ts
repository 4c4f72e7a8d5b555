/** Whether an `If-None-Match` header names the tag: weak comparison (RFC 9110, section 13.1.2). */
export function namesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((given) => ['*', etag].includes(given.trim().replace(/^W\//, '')))
}

/** An entity tag in a list, with the comma or the end after it. A tag may contain a comma (RFC 9110, section 8.8.3). */
const LISTED = /[ \t]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")?[ \t]*(?:,|$)/y

/**
 * The strong tags that an `If-Match` header lists, or `*`; null: the header is malformed (RFC 9110, section 13.1.1). Weak
 * tags match nothing, so they are left out, and so are empty places of the list (section 5.6.1).
 */
export function strongTags(header: string): readonly string[] | '*' | null {
  if (header.trim() === '*') return '*'
  const tags: string[] = []
  LISTED.lastIndex = 0
  while (LISTED.lastIndex < header.length) {
    const [, weak, tag] = LISTED.exec(header) ?? []
    if (LISTED.lastIndex === 0 || (weak !== undefined && tag === undefined)) return null
    if (weak === undefined && tag !== undefined) tags.push(tag)
  }
  return tags
}

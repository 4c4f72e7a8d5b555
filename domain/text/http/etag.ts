/** Whether an `If-None-Match` header names the tag: weak comparison (RFC 9110, section 13.1.2). */
export function namesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((given) => ['*', etag].includes(given.trim().replace(/^W\//, '')))
}

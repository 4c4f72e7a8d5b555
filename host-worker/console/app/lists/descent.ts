interface Issued {
  readonly keyId: string
  readonly issuedBy: string | null
}

/**
 * Orders keys so that each is followed by those that descend from it, with the number of keys that it descends from. One
 * whose issuer is not among them begins a tree.
 */
export function byDescent<Key extends Issued>(
  keys: readonly Key[],
): readonly (Key & { readonly depth: number })[] {
  const known = new Set(keys.map(({ keyId }) => keyId))
  const issued = Map.groupBy(keys, ({ issuedBy }) =>
    issuedBy !== null && known.has(issuedBy) ? issuedBy : null,
  )
  const below = (issuer: string | null, depth: number): readonly (Key & { readonly depth: number })[] =>
    (issued.get(issuer) ?? []).flatMap((key) => [{ ...key, depth }, ...below(key.keyId, depth + 1)])
  return below(null, 0)
}

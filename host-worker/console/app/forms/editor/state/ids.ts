const ID_LENGTH = 60

/** An id made from what people call something; the fallback when that has no letter or digit of ASCII. */
export function idFrom(label: string, fallback: string): string {
  const plain = label.replaceAll('ß', 'ss').normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_+/g, '')
  const id = words.slice(0, ID_LENGTH).replace(/_+$/, '')
  return id === '' ? fallback : id
}

/** The wanted id, or the first numbered one that is not taken. */
export function freeId(wanted: string, taken: readonly unknown[]): string {
  const candidates = [wanted, ...taken.map((_, index) => `${wanted}_${index + 2}`)]
  return candidates.find((candidate) => !taken.includes(candidate)) ?? wanted
}

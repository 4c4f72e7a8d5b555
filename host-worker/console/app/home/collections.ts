/** The part of a contract document that says which collections there are. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, { readonly get?: DocumentedRead }>>
}

interface DocumentedRead {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly unknown[]
}

/** A collection that a tenant can read. */
export interface Collection {
  readonly path: string
  readonly summary: string
  readonly tag: string
}

/** The collections of the document that need no id. */
export function collectionsIn({ paths }: ContractDocument): readonly Collection[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined || path.includes('{') || path.endsWith('/openapi.json')
      ? []
      : [{ path, summary: get.summary ?? path, tag: get.tags?.[0] ?? 'Other' }],
  )
}

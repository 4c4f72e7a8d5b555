/** What a call of any operation may have. */
export interface Inputs {
  /** The parameters of its path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  /** What is sent as JSON. */
  readonly body?: unknown
  /** What is sent in place of that. */
  readonly content?: Content
}

/** The values of a query by their names, of which some may say nothing. */
export type Query = Readonly<Record<string, string | number | null | undefined>>

/** A body with its headers. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/**
 * What a request for an operation says, whose path has parameters.
 * @param refuse makes the error for an id that URLs would drop, or that would lead to another path
 */
export function requestFor(
  path: string,
  { params = {}, query = {}, body, content }: Inputs,
  refuse: (sentence: string) => Error,
): Content & { readonly path: string } {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name] ?? ''
    if (/^\.{0,2}$/.test(value)) throw refuse(`There is nothing with the id ${JSON.stringify(value)}.`)
    return encodeURIComponent(value)
  })
  const json = body === undefined ? { headers: {} } : jsonContent(body)
  return { path: filled + searchText(query), ...(content ?? json) }
}

/** A body of JSON, with its header. */
export function jsonContent(body: unknown) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** The query of an address, with what of these says anything: `?form=contact`. Empty when nothing does. */
export function searchText(values: Query): string {
  const named = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return named.length === 0 ? '' : `?${new URLSearchParams(named).toString()}`
}

/** A file of `adapters/sqlite/migrations`. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

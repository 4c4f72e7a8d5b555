/** A row as it was imported, with the fields that only the service can say, once an answer has shown them. */
export type ModelRow = Record<string, unknown>

/** Everything that was imported into an organization, as plain objects. */
export interface Model {
  readonly organizationId: string
  /** The rows of a kind of imports. */
  readonly rowsOf: (collection: string) => readonly ModelRow[]
}

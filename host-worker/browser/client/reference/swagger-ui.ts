/** The part of Swagger UI that the reference uses. The package has no types. */
export type SwaggerUi = (options: Readonly<Record<string, unknown>>) => unknown

/** An immutable collection, in which Swagger UI keeps the document. */
export interface Immutable {
  get(key: string | number): unknown
  getIn(path: readonly (string | number)[]): unknown
  toJS(): unknown
  readonly size: number
}

/** An ordered map from tags to their operations. */
export interface TaggedOperations {
  map(change: (tagged: TagOperations, tag: string) => TagOperations): TaggedOperations
  filter(keep: (tagged: TagOperations, tag: string) => boolean): TaggedOperations
}

export interface TagOperations {
  get(key: 'operations'): Operations
  set(key: 'operations', operations: Operations): TagOperations
}

export interface Operations {
  filter(keep: (operation: Immutable) => boolean): Operations
  readonly size: number
}

/** The part of React that a plugin gets. */
export interface ReactLike {
  /** Runs after rendering. */
  useEffect(run: () => void, dependencies: readonly unknown[]): void
  /** Creates an element from `type`, properties and children. */
  createElement(type: unknown, properties: Properties | null, ...children: unknown[]): unknown
}

export type Properties = Readonly<Record<string, unknown>>

export interface System {
  readonly React: ReactLike
  readonly specSelectors: { specJson(): Immutable }
}

export interface Parameter {
  readonly in?: string
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
}

export interface DocumentedOperation {
  readonly parameters?: readonly Parameter[]
}

export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

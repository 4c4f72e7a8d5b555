/** A file of the built Worker. `path` is relative to the folder that wrangler uploads. */
export interface BuiltFile {
  readonly path: string
  readonly contents: Uint8Array
}

/** A module of the built Worker. */
export interface BuiltModule {
  /** The source file that is imported on demand to load it; null: it is only loaded with other modules. */
  readonly source: string | null
  /** Source files that are in it, relative to the project. */
  readonly inputs: readonly string[]
  /** Paths of the modules that it imports at once. Those imported on demand are left out. */
  readonly loads: readonly string[]
}

export interface BuiltWorker {
  /** The entry comes first. */
  readonly files: readonly BuiltFile[]
  readonly modules: ReadonlyMap<string, BuiltModule>
}

export function bundleWorker(source?: string): Promise<BuiltWorker>
export function loadedFirst(modules: BuiltWorker['modules']): ReadonlySet<string>
export function loadedWith(modules: BuiltWorker['modules'], path: string): ReadonlySet<string>

import type { Plugin } from 'esbuild'

/** A file of the built Worker. `path` is relative to the folder that wrangler uploads. */
export interface BuiltFile {
  readonly path: string
  readonly contents: Uint8Array
}

/** A module of the built Worker. */
export interface BuiltModule {
  /**
   * The source file that is imported on demand and so loads this module; null: the module is only loaded together with
   * others.
   */
  readonly source: string | null
  /** The source files in the module, relative to the project. */
  readonly inputs: readonly string[]
  /** The paths of the modules that it imports statically. Modules that it imports on demand are left out. */
  readonly loads: readonly string[]
}

export interface BuiltWorker {
  /** The entry comes first. */
  readonly files: readonly BuiltFile[]
  readonly modules: ReadonlyMap<string, BuiltModule>
}

export const DEPLOYED: string
export const LOCAL: string
export function bundleWorker(source?: string): Promise<BuiltWorker>
export function loadedFirst(modules: BuiltWorker['modules']): ReadonlySet<string>
export function loadedWith(modules: BuiltWorker['modules'], path: string): ReadonlySet<string>
export function migrationTexts(further?: readonly { readonly name: string; readonly sql: string }[]): Plugin
/** The phone metadata for the Worker, as JSON. */
export function phoneRules(): string

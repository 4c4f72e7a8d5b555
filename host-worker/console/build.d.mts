/** The files of the first view of a page, by name. */
export interface ConsoleEntry {
  readonly script: string
  readonly style: string
  /** Modules that the script imports at once. */
  readonly modules: readonly string[]
  /** The module that is run as soon as it is there, before the others; left out: none. */
  readonly first?: string
}

export function bundleConsole(): Promise<{
  readonly files: readonly { readonly name: string; readonly contents: Uint8Array }[]
  readonly entry: ConsoleEntry
  readonly mailboxEntry: ConsoleEntry
}>
export function buildConsole(): Promise<void>

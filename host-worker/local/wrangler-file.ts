import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './root.ts'

/** What `wrangler.toml` says, as far as it is read here: values as they are written there, by key. */
export interface WranglerFile {
  /** The keys above the first table. */
  readonly top: Readonly<Record<string, string>>
  /** The tables and the entries of lists of tables, in their order. */
  readonly tables: readonly { readonly name: string; readonly values: Readonly<Record<string, string>> }[]
}

/** The project's `wrangler.toml`. wrangler itself would read it too, but takes a second to load. */
export function projectWranglerFile(): WranglerFile {
  return readWranglerFile(readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8'))
}

/** Reads the lines of a TOML file: tables, and keys with their values, which may go on over several lines. */
export function readWranglerFile(text: string): WranglerFile {
  const top: Record<string, string> = {}
  const tables: { name: string; values: Record<string, string> }[] = []
  for (const line of logicalLines(text)) {
    const [, name] = /^\[{1,2}\s*([\w.-]+)\s*\]{1,2}$/.exec(line) ?? []
    const [, key, value] = /^([\w-]+)\s*=\s*(.*)$/s.exec(line) ?? []
    if (name !== undefined) tables.push({ name, values: {} })
    else if (key !== undefined) (tables.at(-1)?.values ?? top)[key] = value ?? ''
  }
  return { top, tables }
}

/** The text of a value that is a string; undefined: it is something else. */
export function stringIn(value: string | undefined): string | undefined {
  return /^(["'])(.*)\1$/.exec(value ?? '')?.[2]
}

/** Lines without comments; a list that goes on over several lines is one. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = []
  let open = ''
  for (const line of text.split('\n')) {
    const bare = line.replace(/^((?:"[^"]*"|'[^']*'|[^#"'])*)#.*$/, '$1').trim()
    open = open === '' ? bare : `${open} ${bare}`
    if (isOpen(open)) continue
    if (open !== '') lines.push(open)
    open = ''
  }
  return open === '' ? lines : [...lines, open]
}

/** Whether a list or a table within a value goes on in the next line. */
function isOpen(line: string): boolean {
  const marks = line.replaceAll(/"[^"]*"|'[^']*'/g, '')
  return marks.includes('=') && count(marks, /[[{]/g) > count(marks, /[\]}]/g)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './root.ts'

/** The parts of `wrangler.toml` that are needed here, with values as they are written in the file. */
export interface WranglerFile {
  /** The keys before the first table. */
  readonly top: Readonly<Record<string, string>>
  /** The tables, and the entries of arrays of tables, in order. */
  readonly tables: readonly { readonly name: string; readonly values: Readonly<Record<string, string>> }[]
}

/** Reads the project's `wrangler.toml`. wrangler could read it too, but takes a second to load. */
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

/** The text of a string value; undefined: the value is not a string. */
export function stringIn(value: string | undefined): string | undefined {
  return /^(["'])(.*)\1$/.exec(value ?? '')?.[2]
}

/** The lines without comments. A list that continues over several lines becomes one line. */
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

/** Whether a list or a table within a value continues in the next line. */
function isOpen(line: string): boolean {
  const marks = line.replaceAll(/"[^"]*"|'[^']*'/g, '')
  return marks.includes('=') && count(marks, /[[{]/g) > count(marks, /[\]}]/g)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

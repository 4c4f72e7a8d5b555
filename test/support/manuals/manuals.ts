import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A README.md of the project, the one in the root or the manual of a folder; its architecture; or a guide. */
export interface Manual {
  /** Its path from the project's root. */
  readonly path: string
  readonly text: string
}

/** Every manual of the project in a directory: those in the root first, then the others sorted by path. */
export function manualsOf(directory: string): readonly Manual[] {
  const isSkipped = (path: string): boolean => /(?:^|[\\/])(?:node_modules|dist|\.wrangler)$/.test(path)
  const found = globSync(['*/**/README.md', 'host-worker/guides/*.md'], {
    cwd: directory,
    exclude: isSkipped,
  })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
  return ['README.md', 'ARCHITECTURE.md', ...found].map((path) => ({
    path,
    text: readFileSync(join(directory, path), 'utf8'),
  }))
}

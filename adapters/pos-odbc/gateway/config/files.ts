import { readFileSync, statSync } from 'node:fs'

/** The text of a file, or why there is none, as the end of a sentence that begins with the file's name. */
export type TextReading =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unreadable'; readonly problem: string }

/** The files to which a configuration refers. */
export interface Files {
  readonly readText: (path: string) => TextReading
  readonly isFile: (path: string) => boolean
  readonly isDirectory: (path: string) => boolean
}

/** The files of this machine. */
export const localFiles: Files = {
  readText(path) {
    try {
      return { kind: 'text', text: readFileSync(path, 'utf8') }
    } catch (error) {
      // Such as "ENOENT: no such file or directory, open '/etc/gateway.json'".
      const [reason] = (error instanceof Error ? error.message : String(error)).split(',')
      return { kind: 'unreadable', problem: `cannot be read (${reason})` }
    }
  },
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  isDirectory: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
}

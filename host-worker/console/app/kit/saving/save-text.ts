import { download } from './download.ts'

/** Gives the browser a text, in one part or several, to save as a file. */
export function saveText(name: string, type: string, ...parts: readonly string[]): void {
  download(name, new Blob([...parts], { type }))
}

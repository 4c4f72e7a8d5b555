import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file only if its content changed: file watchers must not be triggered without need. */
export function writeIfChanged(path, content) {
  if (readText(path) !== String(content)) replaceFile(path, content)
}

/** Writes a file, or replaces it, in one step: builds may run at the same time. */
export function replaceFile(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, content)
  renameSync(`${path}.${process.pid}`, path)
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

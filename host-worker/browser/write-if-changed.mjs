import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file only if its content has changed, so that file watchers are not triggered without need. */
export function writeIfChanged(path, content) {
  if (readText(path) !== String(content)) replaceFile(path, content)
}

/** Writes or replaces a file in one step, because several builds may run at the same time. */
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

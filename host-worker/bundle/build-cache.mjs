import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { replaceFile } from '../browser/write-if-changed.mjs'

/** How many results are kept, so that going back to an earlier state of the sources is quick too. */
const KEPT_MAX = 4

/**
 * Returns what `build` made of the same sources before, or runs it. Starting the service builds it, and most starts follow
 * one without a change in between. A result is kept only if nothing changed while it was made.
 * @param place the folders and files under `root` from which all is made, and the folder of the results
 * @param build makes something that `node:v8` can serialize
 */
export async function builtOfSameSources({ root, sources, folder }, build) {
  const hash = hashOf(root, sources)
  if (hash === null) return build()
  const path = join(folder, hash)
  const known = read(path)
  if (known !== null) return known
  const result = await build()
  if (hashOf(root, sources) === hash) {
    replaceFile(path, serialize(result))
    removeOldest(folder)
  }
  return result
}

/** A hash of the names and the contents of all files; null when one of them went while it was made. */
function hashOf(root, sources) {
  const hash = createHash('sha256')
  try {
    for (const path of sources.flatMap((source) => filesOf(root, source)).sort()) {
      const contents = readFileSync(join(root, path))
      hash.update(`${path}\0${contents.length}\0`).update(contents)
    }
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
  return hash.digest('hex')
}

/** The paths of a file, or of the files in a folder. What is installed there is no source: a lock file says what it is. */
function filesOf(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path))
    .filter((name) => name !== 'node_modules')
    .flatMap((name) => filesOf(root, join(path, name)))
}

/** What was kept; null when there is nothing, or nothing that this Node can read. */
function read(path) {
  try {
    return deserialize(readFileSync(path))
  } catch {
    return null
  }
}

function removeOldest(folder) {
  const modifiedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  // A name with a dot is what another process is writing.
  const results = readdirSync(folder).filter((name) => !name.includes('.'))
  const paths = results.map((name) => join(folder, name))
  const newestFirst = paths.toSorted((left, right) => modifiedMs(right) - modifiedMs(left))
  for (const path of newestFirst.slice(KEPT_MAX)) rmSync(path, { force: true })
}

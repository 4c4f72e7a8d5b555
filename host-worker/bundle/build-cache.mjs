import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { replaceFile } from '../browser/write-if-changed.mjs'

/** How many results are kept, so that returning to an earlier state of the sources is fast too. */
const KEPT_MAX = 4

/**
 * Returns the kept result of `build` for the same sources, or runs it. Starting the service builds it, and usually
 * nothing has changed since the last start. A result is kept only if no source changed during the build.
 * @param place the folders and files under `root` that are the input, and the folder of the results
 * @param build returns a value that `node:v8` can serialize
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

/** A hash of the names and contents of all files; null when a file disappeared meanwhile. */
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

/**
 * The path of a file, or the paths of the files in a folder. Installed packages are not included, because a lock file
 * identifies them.
 */
function filesOf(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path))
    .filter((name) => name !== 'node_modules')
    .flatMap((name) => filesOf(root, join(path, name)))
}

/** A kept result; null when there is none, or none that this version of Node can read. */
function read(path) {
  try {
    return deserialize(readFileSync(path))
  } catch {
    return null
  }
}

function removeOldest(folder) {
  const modifiedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  // A name with a dot is a file that another process is still writing.
  const results = readdirSync(folder).filter((name) => !name.includes('.'))
  const paths = results.map((name) => join(folder, name))
  const newestFirst = paths.toSorted((left, right) => modifiedMs(right) - modifiedMs(left))
  for (const path of newestFirst.slice(KEPT_MAX)) rmSync(path, { force: true })
}

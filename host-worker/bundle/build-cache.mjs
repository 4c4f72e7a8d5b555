import { createHash } from 'node:crypto'
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'

/** How many results are kept, so that going back to an earlier state of the sources is quick too. */
const KEPT_MAX = 4

/**
 * Returns what `build` made of the same sources before, or runs it. Starting the service builds it, and most starts follow
 * one without a change in between. A result is kept only if nothing changed while it was made.
 * @param place the files, by patterns under `root`, from which all is made, and the folder of the results
 * @param build makes something that `node:v8` can serialize
 */
export async function builtOfSameSources({ root, sources, folder }, build) {
  const hash = hashOf(root, sources)
  const path = join(folder, hash)
  const known = read(path)
  if (known !== null) return known
  const result = await build()
  if (hashOf(root, sources) === hash) {
    write(path, serialize(result))
    removeOldest(folder)
  }
  return result
}

/** A hash of the names and the contents of files. */
function hashOf(root, sources) {
  const hash = createHash('sha256')
  const exclude = ({ name }) => name === 'node_modules'
  const found = globSync(sources, { cwd: root, exclude, withFileTypes: true })
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.sort()) {
    const contents = readFileSync(path)
    hash.update(`${path.slice(root.length)}\0${contents.length}\0`).update(contents)
  }
  return hash.digest('hex')
}

/** What was kept; null when there is nothing, or nothing that this Node can read. */
function read(path) {
  try {
    return deserialize(readFileSync(path))
  } catch {
    return null
  }
}

/** In one step, because several builds may run at once. */
function write(path, contents) {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}

function removeOldest(folder) {
  const modifiedMs = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const paths = readdirSync(folder).map((name) => join(folder, name))
  const newestFirst = paths.toSorted((left, right) => modifiedMs(right) - modifiedMs(left))
  for (const path of newestFirst.slice(KEPT_MAX)) rmSync(path, { force: true })
}

/** Locks between processes, and the files that they are made of. Plain JavaScript for the reason given in `run.mjs`. */
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { threadId } from 'node:worker_threads'

const POLL_MS = 100

/**
 * Runs `work` while no other process runs its own under the same path; waits as long as the holder lives.
 * @template Result
 * @param {string} path names the lock
 * @param {() => Promise<Result>} work
 * @param {() => void} [onWait] called once when another process holds the lock
 * @returns {Promise<Result>}
 */
export async function withFileLock(path, work, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true })
  let lock = tryFileLock(path, '')
  if (lock === null) onWait()
  for (; lock === null; lock = tryFileLock(path, ''))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/**
 * Takes a lock for as long as this process lives, or until it is released; null: another process, or this one, has it.
 *
 * Each holder has a numbered file, `PATH.N`, which names its process and when that began. A process that finds no holder
 * alive makes the next number, which only one can, and gives up when it then finds another one alive after all. So a
 * lock needs no beat, it is free at the very moment its holder is killed, and neither a process that got the number of
 * the killed one nor a machine that slept confuses it.
 * @param {string} path
 * @param {string} text what others find about the holder
 */
export function tryFileLock(path, text) {
  const before = holders(path)
  if (before.some(isAlive)) return null
  const number = Math.max(0, ...before.map((each) => each.number)) + 1
  const own = `${path}.${number}`
  const content = (said) =>
    JSON.stringify({ pid: process.pid, began: beginOf(process.pid)?.began ?? '', text: said })
  if (!createFile(own, content(text))) return null
  if (holders(path).some((each) => each.number !== number && isAlive(each))) {
    rmSync(own, { force: true })
    return null
  }
  for (const each of before) rmSync(`${path}.${each.number}`, { force: true })
  return {
    /** What the last holder said, which did not release the lock; null: none. */
    left: before.at(-1)?.text ?? null,
    say: (said) => replaceFile(own, content(said)),
    release: () => rmSync(own, { force: true }),
  }
}

/** What the holder of a lock says; null: nobody has it, whatever a killed process left behind. */
export function fileLockHolder(path) {
  return holders(path).find(isAlive) ?? null
}

/** The holders, dead or alive, in the order of their numbers. Throws when one cannot be read. */
function holders(path) {
  const prefix = `${basename(path)}.`
  const numbers = names(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
  return numbers
    .sort((left, right) => left - right)
    .flatMap((number) => holderIn(`${path}.${number}`, number))
}

function holderIn(file, number) {
  const written = readText(file)
  if (written === null) return []
  try {
    const { pid, began, text } = JSON.parse(written)
    return [{ number, pid: Number(pid), began: String(began), text: String(text) }]
  } catch {
    return [{ number, pid: 0, began: '', text: '' }]
  }
}

function isAlive({ pid, began }) {
  if (!Number.isInteger(pid) || pid <= 0) return false
  const found = beginOf(pid)
  return found !== null && (began === '' || found.began === '' || found.began === began)
}

/** When a process began, in some form; empty where the system does not tell. Null: there is no such process. */
function beginOf(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return null
  }
  if (process.platform === 'linux') {
    const status = readText(`/proc/${pid}/stat`)
    if (status === null) return null
    // The second field is the program's name in brackets, which may contain any characters.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
    // A process that has ended, and whose parent has not noticed yet, holds nothing.
    return fields[0] === 'Z' || fields[0] === 'X' ? null : { began: fields[19] }
  }
  try {
    return { began: execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() }
  } catch {
    return { began: '' }
  }
}

/** Creates a file that only its owner may read, with its content, in one step; false: it is there already. */
export function createFile(path, content) {
  const aside = writeAside(path, content)
  try {
    linkSync(aside, path)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Writes a file in one step: readers find either the old content or the complete new one. */
export function replaceFile(path, content) {
  renameSync(writeAside(path, content), path)
}

function writeAside(path, content) {
  const aside = join(dirname(path), `.${basename(path)}.${process.pid}.${threadId}`)
  writeFileSync(aside, content, { mode: 0o600 })
  return aside
}

function names(directory) {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return []
  }
}

/** The text of a file; null: there is no such file. */
export function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // A process may end, and a lock be released, while they are read.
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error
    return null
  }
}

/** A lock between processes. Plain JavaScript for the reason given in `run.mjs`. */
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

const BEAT_MS = 2_000
const STALE_MS = 20_000
const POLL_MS = 100

/**
 * Runs `work` while no other process runs its own under the same path; waits as long as the holder lives. A lock whose
 * holder died is taken over, at once when the process is gone, and after 20 seconds when its pid belongs to another
 * machine or container.
 * @template Result
 * @param {string} path the lock file
 * @param {() => Promise<Result>} work
 * @param {() => void} [onWait] called once when another process holds the lock
 * @returns {Promise<Result>}
 */
export async function withFileLock(path, work, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true })
  const token = `${process.pid} ${process.hrtime.bigint()}`
  let waited = false
  while (!acquire(path, token)) {
    if (!waited) onWait()
    waited = true
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const beat = setInterval(() => touch(path), BEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    if (read(path) === token) rmSync(path, { force: true })
  }
}

function acquire(path, token) {
  try {
    writeFileSync(path, token, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = read(path)
  if (holder !== null && isStale(path, holder)) evict(path, holder, token)
  return false
}

/** Moves the lock file away and checks it again. When it is a new lock of another process, it is moved back. */
function evict(path, holder, token) {
  const aside = `${path}.${token.replace(' ', '.')}`
  try {
    renameSync(path, aside)
    if (read(aside) !== holder) linkSync(aside, path)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function isStale(path, holder) {
  try {
    // An empty file belongs to a process that has created but not yet written it, so only its age can be checked.
    if (holder !== '' && !isAlive(Number(holder.split(' ')[0]))) return true
    return Date.now() - statSync(path).mtimeMs > STALE_MS
  } catch {
    return false
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // Another process has taken the lock over; the final check by the former holder notices that.
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

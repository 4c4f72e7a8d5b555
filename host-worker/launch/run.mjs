/**
 * Installs what is missing and runs a script on the project's own Node: `run.mjs SCRIPT [ARGUMENT…]`, with paths
 * relative to the project's root. Without a script it only installs. It is plain JavaScript, because it runs on any
 * installed Node (20 or newer), before anything is installed.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, findNode, oldestNode } from './install.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const PARENT_CHECK_MS = 1_000

/** Signals that end the script rather than this wrapper, which waits for it. */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']

function fail(problem) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

function run(node, script, args) {
  const path = `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`
  const child = spawn(node, [join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path, NODE_COMPILE_CACHE: compileCache() },
  })
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`Cannot run ${node}: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded)
    process.kill(process.pid, signal)
  })
  endWithNpm(child)
}

/**
 * The folder in which the processes of a script keep compiled modules, so that later processes start in half the time.
 */
function compileCache() {
  return process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled')
}

/**
 * Ends the child when npm was killed. npm waits for its script, so an ancestor process that is gone means that npm was
 * killed, and no other process would end the child.
 */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return
  const before = ancestors()
  const check = () => {
    if (ancestors() !== before) child.kill('SIGTERM')
  }
  setInterval(check, PARENT_CHECK_MS).unref()
}

/** The parent process and, where the system provides it, the parent's parent, because npm starts a shell in between. */
function ancestors() {
  try {
    const status = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    // The second field is the program's name in brackets, which may contain any characters. The fourth field is the
    // parent.
    return `${process.ppid} ${status.slice(status.lastIndexOf(')') + 2).split(' ')[1]}`
  } catch {
    return String(process.ppid)
  }
}

const [script, ...args] = process.argv.slice(2)
try {
  await ensureInstalled(root)
} catch (error) {
  fail(error.message)
}
if (script !== undefined) {
  const node = findNode(root)
  if (node === null) {
    fail(
      `There is no Node build for ${process.platform}-${process.arch} among the project's dependencies, and the Node ` +
        `that runs this is ${process.version}. Install Node ${oldestNode(root)} or newer and try again.`,
    )
  }
  run(node, script, args)
}

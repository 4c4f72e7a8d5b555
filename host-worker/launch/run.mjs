/**
 * Installs what is missing and runs a script on the project's own Node: `run.mjs SCRIPT [ARGUMENT…]`, paths from the
 * project's root; without a script it only installs. Plain JavaScript, because it runs on whatever Node a machine
 * has (20 or newer), before anything is installed.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './install.mjs'
import { findNode } from './find-node.mjs'

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

/** Where the processes of a script keep the modules that they compiled: the next ones start in half the time. */
function compileCache() {
  return process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled')
}

/**
 * npm waits for its script. So when an ancestor process is gone, npm was killed, and nobody else would end the child.
 */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return
  const before = ancestors()
  const check = () => {
    if (ancestors() !== before) child.kill('SIGTERM')
  }
  setInterval(check, PARENT_CHECK_MS).unref()
}

/** The parent, and where the system shows it the parent's parent: npm puts a shell in between. */
function ancestors() {
  try {
    const status = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    // The second field is the program's name in brackets, which may hold anything; the fourth is the parent.
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
        `that runs this is ${process.version}. Install Node 22.18 or newer and try again.`,
    )
  }
  run(node, script, args)
}

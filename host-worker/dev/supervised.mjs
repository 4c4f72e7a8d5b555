/**
 * Runs a command as a child of this process, which leads a process group. Ends the whole group when the command ends,
 * or when the process that started this one is gone for any reason: then its end of the pipe on standard input closes,
 * even after `kill -9`. Start it detached, so that it leads a group of its own. Usage: `supervised.mjs PROGRAM
 * [ARGUMENT…]`. Plain JavaScript, because that starts faster.
 */
import { spawn } from 'node:child_process'

/** How long the command may take to end by itself before the whole group is killed, in ms. */
const GRACE_MS = 5_000

const [program, ...args] = process.argv.slice(2)
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
let isEnding = false

function end() {
  if (isEnding) return
  isEnding = true
  setTimeout(killGroup, GRACE_MS)
  child.kill('SIGTERM')
}

/** Kills the group, this process included, because no process of the group may outlive it. */
function killGroup() {
  process.kill(-process.pid, 'SIGKILL')
}

process.stdin.on('end', end).on('error', end).resume()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
child.on('error', killGroup)
child.on('exit', killGroup)

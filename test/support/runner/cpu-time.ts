import { readFileSync } from 'node:fs'

/** Clock ticks of a second in the kernel's accounts of a process, on every machine for which there is a Node. */
const TICKS = 100

/**
 * Prints at the end of a run how many seconds of CPU it took, with the programs that the tests started. On a machine that
 * does other things as well, those change less than the time that passed.
 */
export default function setup(): void {
  process.once('exit', () => {
    const seconds = cpuSeconds()
    if (seconds !== null) process.stdout.write(`   CPU time  ${seconds.toFixed(0)} s\n`)
  })
}

/** The time of this process and of those that it waited for; null: the system does not tell. */
function cpuSeconds(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The second field is the program's name in brackets, which may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // User and system time, of this process and of its children.
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS
  } catch {
    return null
  }
}

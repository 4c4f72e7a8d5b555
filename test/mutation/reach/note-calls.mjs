/**
 * Loaded by every process of a run that records which functions each test file calls. Programs that a test starts
 * inherit the name of the file to which calls are appended.
 */
import { appendFileSync } from 'node:fs'

let file = process.env.MUTATION_NOTES
const seen = new Set()

globalThis.noteCall = (call) => {
  if (file === undefined || seen.has(call)) return
  seen.add(call)
  appendFileSync(file, `${call}\n`)
}

/** From now on, calls are noted in another file. */
globalThis.noteCallsIn = (other) => {
  file = other
  process.env.MUTATION_NOTES = other
  seen.clear()
}

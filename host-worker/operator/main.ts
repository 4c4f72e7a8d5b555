import { projectRoot, projectWranglerFile } from '../local/project.ts'
import { stateDirectory } from '../local/state.ts'
import { systemClock } from '../system.ts'
import { deployedAddress } from './client/open-service.ts'
import { runOperator } from './run-operator.ts'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

const streams = {
  out: (line: string) => process.stdout.write(`${line}\n`),
  note: (line: string) => process.stderr.write(`${line}\n`),
  terminal: process.stdout.isTTY
    ? { width: process.stdout.columns, hasColour: process.stdout.hasColors() }
    : null,
}
const host = {
  clock: systemClock,
  environment: process.env,
  directory: stateDirectory(projectRoot),
  deployed: () => deployedAddress(projectWranglerFile()),
  askKey,
  program: process.env.TENANT_DATA_PROGRAM ?? 'npm run -s operator --',
}

// A reader such as `head` may close the pipe before everything is written. Nobody reads on, so the command ends.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// Sets the exit code instead of exiting, so that output to a pipe is written completely.
process.exitCode = await runOperator(process.argv.slice(2), streams, host)

/**
 * Asks for a key at the terminal without showing what is typed. When standard input is not a terminal, reads its first
 * line.
 */
async function askKey(question: string): Promise<string> {
  const { stdin, stderr } = process
  const isTerminal = stdin.isTTY
  if (isTerminal) stderr.write(question)
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })
  const reader = createInterface({ input: stdin, output: nowhere, terminal: isTerminal })
  try {
    for await (const line of reader) return line.trim()
    return ''
  } finally {
    reader.close()
    if (isTerminal) stderr.write('\n')
  }
}

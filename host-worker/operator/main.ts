import { projectRoot, projectWranglerFile } from '../local/project.ts'
import { stateDirectory } from '../local/state.ts'
import { systemClock } from '../system.ts'
import { askKey } from './ask-key.ts'
import { deployedAddress } from './client/service/deployed-address.ts'
import { runOperator } from './run-operator.ts'

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

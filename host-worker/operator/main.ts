import { projectRoot } from '../local/root.ts'
import { openPrivateState, stateDirectory } from '../local/state.ts'
import { runOperator } from './run-operator.ts'

openPrivateState(stateDirectory(projectRoot))

// Sets the exit code instead of exiting, so that output to a pipe is written completely.
process.exitCode = await runOperator(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
})

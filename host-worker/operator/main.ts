import { runOperator } from './run-operator.ts'

// Setting the code rather than exiting lets what was written to a pipe get there.
process.exitCode = await runOperator(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
})

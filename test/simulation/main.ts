import { parseArgs } from 'node:util'
import { simulate } from './simulation.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, steps: { type: 'string' }, trace: { type: 'boolean' } },
})
const run = await simulate({
  seed: Number(values.seed ?? 1),
  steps: Number(values.steps ?? 2000),
  keepsTrace: values.trace ?? false,
})
if (values.trace) console.log(run.trace.join('\n'))
const { trace, ...rest } = run
console.log(rest)
if (run.violation && !values.trace) console.log(trace.join('\n'))

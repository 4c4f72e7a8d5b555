import { writeFileSync } from 'node:fs'
import { mutants } from './mutants/index.ts'
import { shrink } from './shrink.ts'
import { simulate } from './simulation.ts'
const [part = '', steps = '300', file = '', first = '1', only = ''] = process.argv.slice(2)
const mutant = mutants.find(({ name }) => name.includes(part))
if (mutant === undefined) throw new Error('no mutant')
for (let seed = Number(first); ; seed += 1) {
  const { violation } = await simulate({ from: seed, steps: Number(steps), mutant })
  if (violation === null || (only !== '' && !violation.invariant.includes(only))) continue
  if (violation.step > 4 * Number(steps)) {
    console.log('too long', seed, violation.step)
    continue
  }
  console.log('seed', seed, 'step', violation.step, violation.invariant, violation.details)
  const t0 = Date.now()
  const shrunk = await shrink({ from: seed, steps: Number(steps), mutant })
  console.log(JSON.stringify(shrunk).slice(0, 1500), (Date.now() - t0) / 1000, 's')
  if (shrunk !== null)
    writeFileSync(
      `test/simulation/regressions/${file}.json`,
      `${JSON.stringify({ mutant: mutant.name, ...shrunk }, null, 2)}\n`,
    )
  break
}

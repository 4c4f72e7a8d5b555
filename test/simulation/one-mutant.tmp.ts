import { mutants } from './mutants/index.ts'
import { simulate } from './simulation.ts'
const [from = '0', to = '99', ms = '60000', steps = '2000'] = process.argv.slice(2)
for (const mutant of mutants.slice(Number(from), Number(to))) {
  const cpu0 = process.cpuUsage()
  const t0 = Date.now()
  let found = false
  let seed = 1
  for (; Date.now() - t0 < Number(ms); seed += 1) {
    const { violation } = await simulate({ from: seed, steps: Number(steps), mutant })
    if (violation === null) continue
    const cpu = process.cpuUsage(cpu0)
    console.log(
      'found',
      mutant.name,
      'seed',
      seed,
      'step',
      violation.step,
      ((Date.now() - t0) / 1000).toFixed(1),
      's, cpu',
      ((cpu.user + cpu.system) / 1e6).toFixed(1),
      violation.invariant,
      ':',
      violation.details.slice(0, 150),
    )
    found = true
    break
  }
  if (!found) console.log('NOT FOUND', mutant.name, seed)
}

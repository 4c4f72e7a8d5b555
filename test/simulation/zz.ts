import { simulate } from './simulation.ts'
const [from, to] = process.argv.slice(2).map(Number)
for (let seed = from!; seed < to!; seed += 1) {
  const t = process.cpuUsage()
  const run = await simulate({ from: seed, steps: 3000 })
  const { user } = process.cpuUsage(t)
  const has = (k: string) => (run.coverage as ReadonlyMap<string, number>).get?.(k as never) ?? (run.coverage as never as Record<string, number>)[k]
  console.log(seed, Math.round(user / 1e5) / 10, run.violation === null ? 'ok' : 'VIOLATED ' + JSON.stringify(run.violation).slice(0, 200), has('a delivery is dropped because its webhook is off') ? 'DROPPED' : '', has('a digest is sent') ? 'DIGEST' : '')
}

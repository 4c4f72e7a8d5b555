/**
 * Plants one mistake after the other in the records of the public interface and runs the tests of the golden table, which
 * must notice each; and mistakes elsewhere, with the tests that must notice them: see README.md. Exits with 1 when one is
 * not noticed.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GOLDEN_TABLE, plants } from './plants.ts'
import { copyProject, textOf } from './project.ts'
import { startRunner } from './runner/client.ts'

const TIMEOUT_MS = 300_000

const only = process.argv.slice(2)
const copy = copyProject()
process.on('exit', () => {
  rmSync(copy, { recursive: true, force: true })
})
let runner = await startRunner({ copy })
let noticed = 0
const tried = plants.filter(({ file }) => only.length === 0 || only.some((path) => file.startsWith(path)))
for (const { tests, file, from, to } of tried) {
  const original = textOf(file)
  if (original.split(from).length !== 2) throw new Error(`${file} does not have this text once: ${from}`)
  writeFileSync(
    join(copy, file),
    original.replace(from, () => to),
  )
  const outcome = await runner.run(tests, file, TIMEOUT_MS)
  writeFileSync(join(copy, file), original)
  if (outcome.kind === 'timeout') runner = await startRunner({ copy })
  // A test of the golden table has a name with this in it; anything else is a mistake that does not even load.
  if (outcome.kind === 'killed' && tests === GOLDEN_TABLE && !outcome.reason.includes(' > '))
    throw new Error(`${from}: ${outcome.reason}`)
  if (outcome.kind !== 'survived') noticed += 1
  const how = outcome.kind === 'survived' ? 'NOT NOTICED' : `noticed (${outcome.reason.slice(0, 100)})`
  process.stdout.write(`${file}: ${JSON.stringify(from)} => ${JSON.stringify(to)}: ${how}\n`)
}
await runner.stop()
process.stdout.write(`${noticed} of ${tried.length} mistakes were noticed\n`)
if (noticed < tried.length) process.exitCode = 1

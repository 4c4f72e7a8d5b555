/**
 * Runs tests of a copy of the project, as often as its parent process asks. Vitest stays loaded and keeps the modules
 * that it has transformed; each run has a worker process of its own.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import {
  BaseSequencer,
  createVitest,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node'
import type { RunnerAnswer, RunnerRequest, TestFileResult } from './messages.ts'

const { MUTATION_COPY: copy = '', MUTATION_NOTED: noted } = process.env

/** A mutant that fills the memory ends with its worker process. */
const WORKER_OPTIONS = ['--single-threaded-gc', '--max-old-space-size=1024']

/** Runs files in the order in which they were asked for. */
class AsAsked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

let lastChanged: string | null = null
const isRecording = noted !== undefined
const vitest = await createVitest(
  {
    root: copy,
    config: join(copy, 'vitest.config.ts'),
    watch: false,
    bail: isRecording ? 0 : 1,
    maxWorkers: isRecording ? 2 : 1,
    reporters: [{}],
    execArgv: WORKER_OPTIONS,
  },
  {
    test: {
      ...(isRecording ? { setupFiles: [join(copy, 'test/mutation/reach/note-calls-setup.ts')] } : {}),
      ...(isRecording ? {} : { sequence: { sequencer: AsAsked } }),
    },
  },
)
await vitest.standalone()
const all = await vitest.globTestSpecifications()

process.on('message', (request: RunnerRequest) => {
  void run(vitest, request)
    .catch((error: unknown): RunnerAnswer => ({ results: [], problem: String(error) }))
    .then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function run(on: Vitest, { testFiles, changed }: RunnerRequest): Promise<RunnerAnswer> {
  // The file that the last run had changed has its own text again.
  for (const file of [lastChanged, changed]) if (file !== null) on.invalidateFile(join(copy, file))
  lastChanged = changed
  forgetBuilds(on)
  // Vitest keeps the results of earlier runs, and a failed test among them would end this one.
  on.state.filesMap.clear()
  on.state.idMap.clear()
  const specifications = testFiles.flatMap(
    (file) => all.find(({ moduleId }) => moduleId === join(copy, file)) ?? [],
  )
  const { testModules, unhandledErrors } = await on.runTestSpecifications(specifications)
  return {
    results: testModules.map(resultOf),
    problem: unhandledErrors.length === 0 ? null : String(unhandledErrors[0]),
  }
}

function resultOf(module: TestModule): TestFileResult {
  const { duration, collectDuration } = module.diagnostic()
  const failed = [...module.children.allTests('failed')][0]
  const error = failed?.result().errors?.[0] ?? module.errors()[0]
  return {
    file: relative(copy, module.moduleId).replaceAll(sep, '/'),
    durationMs: Math.round(duration + collectDuration),
    passes: module.state() !== 'failed',
    problem: [failed?.fullName, error?.message.split('\n')[0]]
      .filter((part) => part !== undefined)
      .join(': '),
  }
}

/** Removes what an earlier run built from the sources, which have changed. */
function forgetBuilds(on: Vitest): void {
  const { builtWorker } = on.getRootProject().getProvidedContext() as { readonly builtWorker?: string }
  if (builtWorker === undefined) return
  for (const name of readdirSync(builtWorker))
    rmSync(join(builtWorker, name), { recursive: true, force: true })
}

import { globSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { testRootSecret } from '../support/runner/fakes.ts'
import { processTree } from '../support/services/process-tree.ts'

/** A process that is measured. */
export interface Target {
  readonly origin: string
  /** The process that answers the requests. */
  readonly pid: number
}

/** Starts a runtime with a Worker and finds out which process it is. */
export async function startTarget(
  script: string,
  persist: string,
): Promise<Target & { readonly runtime: Miniflare }> {
  const before = new Set(runtimePids())
  const runtime = openMiniflare(script, persist)
  await runtime.ready
  const { origin } = await runtime.unsafeGetDirectURL()
  const pid = runtimePids().find((each) => !before.has(each))
  if (pid === undefined) throw new Error('The runtime has no process')
  return { runtime, origin, pid }
}

/** The id of the database of every runtime. */
export const DATABASE_ID = 'bench'

const WORKER = 'bench'
const CLASS = 'FamilyDatabase'
/** The subfolder in which a runtime keeps the files of the objects, if its Worker exports their class. */
export const OBJECTS_KEY = `${WORKER}-${CLASS}`

/** Starts a Worker with a database, without wrangler's proxy. */
export function openMiniflare(script: string, persist: string): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      name: WORKER,
      modules: modulesOf(script).map((path) => ({ type: 'ESModule', path })),
      modulesRoot: dirname(script),
      compatibilityDate: '2026-10-20',
      d1Databases: { DB: DATABASE_ID },
      ...(hasObjects(script) ? { durableObjects: { FAMILIES: { className: CLASS, useSQLite: true } } } : {}),
      bindings: {
        ROOT_SECRET: testRootSecret(),
        MAIL_DOMAIN: 'mail.example.com',
        PLATFORM_BRAND: 'Bench',
      },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      resourcePersistencePath: persist,
      cf: false,
      // The log line of each request is part of the service, but printing it here would measure the terminal as well.
      handleStructuredLogs: () => undefined,
    }),
  )
}

/** The entry module of a Worker and the modules that it imports from the folder beside it. */
function modulesOf(script: string): readonly [string, ...string[]] {
  const folder = dirname(script)
  const others = globSync(['worker.js', 'chunks/*.js', 'bare-statements.mjs'], { cwd: folder })
  return [script, ...others.map((path) => join(folder, path)).filter((path) => path !== script)]
}

/** Whether a Worker exports the class of the objects. A runtime does not start if the class is missing. */
function hasObjects(script: string): boolean {
  return readFileSync(script, 'utf8').includes(CLASS)
}

/** The processes of the runtime that this process has started so far. */
function runtimePids(): readonly number[] {
  return processTree(process.pid)
    .filter(({ command }) => /^\S*workerd /.test(command))
    .map(({ pid }) => pid)
}

/**
 * How long a process has used a processor since it began, in ms; null where the system does not tell. It is the sum
 * over the present threads of the process, because the system counts a whole process only in steps of 10 ms. The
 * threads of the runtime last as long as their process.
 */
export function cpuMsOf(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const spentNs = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return spentNs.reduce((sum, each) => sum + each, 0) / 1e6
  } catch {
    return null
  }
}

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { projectRoot, wranglerEnvironment } from '../local/project.ts'
import { stateDirectory } from '../local/state.ts'
import { systemClock } from '../system.ts'
import { deploy } from './deploy.ts'
import type { World } from './deployment.ts'

const interruption = new AbortController()
const { signal } = interruption
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    interruption.abort()
  })

/** The Worker is built in a folder of its own, so that a `wrangler dev` that runs meanwhile never meets it. */
const WORKER_FOLDER = join(projectRoot, '.wrangler', 'deployed')

const wrangler: World['wrangler'] = ([verb = '', ...given], use) =>
  new Promise((resolve) => {
    const script = join(projectRoot, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
    const entry = verb === 'deploy' ? [join(WORKER_FOLDER, 'worker.js')] : []
    const child = spawn(process.execPath, [script, verb, ...entry, ...given], {
      cwd: projectRoot,
      env: { ...process.env, ...wranglerEnvironment(stateDirectory(projectRoot)), WORKER_FOLDER },
      signal,
      // Without a terminal to read from, wrangler asks nothing.
      stdio: ['ignore', use === 'show' ? 'inherit' : 'pipe', 'inherit'],
    })
    let stdout = ''
    child.stdout?.on('data', (text: Buffer) => (stdout += text.toString()))
    // An interruption is such an error; the process closes after it.
    child.on('error', () => undefined)
    child.on('close', (code) => {
      resolve({ exitCode: code ?? 1, stdout })
    })
  })

process.exitCode = await deploy(process.argv.slice(2), {
  configuration: () => readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8'),
  userName: () => userInfo().username,
  wrangler,
  reach: (request) => fetch(request),
  resolves: (host) =>
    lookup(host).then(
      () => true,
      () => false,
    ),
  newRootSecret: () => randomBytes(32).toString('base64url'),
  note: (line) => process.stdout.write(`${line}\n`),
  pause: (durationMs) => pause(durationMs, undefined, { signal }),
  clock: systemClock,
  environment: process.env,
  interrupted: signal,
})

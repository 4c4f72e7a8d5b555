import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { projectRoot } from '../local/root.ts'
import { systemClock } from '../system.ts'
import { deploy } from './deploy.ts'
import { projectWrangler } from './wrangler.ts'

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interruption.abort()
  })

process.exitCode = await deploy(process.argv.slice(2), {
  configuration: () => readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8'),
  userName: () => userInfo().username,
  ports: {
    wrangler: projectWrangler(process.env, interruption.signal),
    reach: (request) => fetch(request),
    resolves: (host) =>
      lookup(host).then(
        () => true,
        () => false,
      ),
    newRootSecret: () => randomBytes(32).toString('base64url'),
    note: (line) => process.stdout.write(`${line}\n`),
    pause: (durationMs) => pause(durationMs, undefined, { signal: interruption.signal }),
    clock: systemClock,
    environment: process.env,
    interrupted: interruption.signal,
  },
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, signalGroup } from '../../support/services/started-service.ts'

/** The manual of the gateway. */
export const GATEWAY = 'adapters/pos-odbc/README.md'

interface GatewayConfiguration {
  readonly listen: object
  readonly sources: readonly { readonly driver: string }[]
}

/** Starts the gateway with its manual's configuration, without the sources whose drivers test/ci/odbc/odbc.sh installs. */
export async function startGateway(directory: string, commands: readonly string[]): Promise<void> {
  const [secret, command] = commands.slice(-2)
  assert.match(String(secret), /^export POS_GATEWAY_SECRET=/)
  const manual = readFileSync(join(directory, GATEWAY), 'utf8')
  const configuration = JSON.parse(/```json\n(.*?)```/s.exec(manual)?.[1] ?? '') as GatewayConfiguration
  const sources = configuration.sources.filter(({ driver }) => driver === 'sqlite')
  const listen = { ...configuration.listen, port: await freePort() }
  mkdirSync(join(directory, 'second'), { recursive: true })
  writeFileSync(join(directory, 'gateway.json'), JSON.stringify({ ...configuration, listen, sources }))
  const child = spawn('bash', ['-c', String(command)], {
    cwd: directory,
    env: { ...process.env, POS_GATEWAY_SECRET: 'a'.repeat(43) },
    stdio: 'ignore',
    detached: true,
  })
  try {
    const health = `http://127.0.0.1:${listen.port}/health`
    const isUp = () =>
      fetch(health)
        .then(({ status }) => status === 200)
        .catch(() => false)
    for (let tries = 0; tries < 1200 && !(await isUp()); tries += 1) await pause(100)
    assert(await isUp())
  } finally {
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGTERM')
  }
}

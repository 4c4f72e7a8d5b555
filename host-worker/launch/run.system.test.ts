import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let root = ''
let environment: NodeJS.ProcessEnv = {}

/** Replaces npm: records each call and creates the files that `npm ci` creates. */
const FAKE_NPM = `#!/bin/sh
echo "$*" >> "$npm_config_calls"
env > "$npm_config_calls.env"
sleep 0.3
mkdir -p node_modules
echo "output of npm"
exit \${npm_config_exit:-0}
`

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-'))
  mkdirSync(join(root, 'host-worker', 'launch'), { recursive: true })
  for (const name of ['run', 'install', 'file-lock']) {
    cpSync(join(import.meta.dirname, `${name}.mjs`), join(root, 'host-worker', 'launch', `${name}.mjs`))
  }
  writeFileSync(join(root, 'package.json'), '{"engines":{"node":">=22.18"}}')
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{"":{}}}')
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin', 'npm'), FAKE_NPM)
  chmodSync(join(root, 'bin', 'npm'), 0o755)
  const path = `${join(root, 'bin')}${delimiter}${process.env.PATH ?? ''}`
  environment = {
    ...process.env,
    PATH: path,
    npm_config_calls: join(root, 'calls'),
    npm_lifecycle_event: undefined,
  }
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

function start(script: string, ...args: readonly string[]) {
  writeFileSync(join(root, 'script.ts'), script)
  return spawn(process.execPath, ['host-worker/launch/run.mjs', 'script.ts', ...args], {
    cwd: root,
    env: environment,
  })
}

async function run(script: string, ...args: readonly string[]) {
  const child = start(script, ...args)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}

function npmCalls(): number {
  return readFileSync(join(root, 'calls'), 'utf8').trim().split('\n').length
}

describe('run.mjs', () => {
  it('installs first, keeps standard output for the script, and passes arguments and exit code on', async () => {
    const script = 'const text: string = process.argv.slice(2).join(); console.log(text); process.exit(7)'
    const { code, stdout, stderr } = await run(script, 'a', '--b')
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'a,--b\n' })
    expect(stderr).toContain('output of npm')
  })

  it('installs again only when the lock file changed', async () => {
    await run('')
    await run('')
    expect(npmCalls()).toBe(1)
    appendFileSync(join(root, 'package-lock.json'), '\n')
    await run('')
    expect(npmCalls()).toBe(2)
  })

  it('installs once when several start at once', async () => {
    const results = await Promise.all([run('console.log(1)'), run('console.log(1)'), run('console.log(1)')])
    expect(results.map(({ stdout }) => stdout)).toEqual(['1\n', '1\n', '1\n'])
    expect(npmCalls()).toBe(1)
  })

  it('lets npm see neither secrets nor install scripts', async () => {
    environment = {
      ...environment,
      ROOT_SECRET: 'hidden',
      CLOUDFLARE_API_TOKEN: 'hidden',
      HTTPS_PROXY: 'proxy',
    }
    await run('')
    const seen = readFileSync(join(root, 'calls.env'), 'utf8')
    expect(seen).not.toContain('hidden')
    expect(seen).toContain('HTTPS_PROXY=proxy')
    expect(seen).toContain('HOME=')
    expect(readFileSync(join(root, 'calls'), 'utf8')).toContain('--ignore-scripts')
  })

  it('takes an installation by npm itself for what it is', async () => {
    mkdirSync(join(root, 'node_modules'))
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{"packages":{}}')
    expect((await run('console.log(1)')).stdout).toBe('1\n')
    expect(() => npmCalls()).toThrow('ENOENT')
  })

  it('does not run the script when the installation fails, and tries again the next time', async () => {
    environment.npm_config_exit = '5'
    const failed = await run('console.log(1)')
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain('npm ci failed (it ended with 5)')
    environment.npm_config_exit = '0'
    expect((await run('console.log(1)')).code).toBe(0)
  })

  it('passes signals on and ends by the signal that ended the script', async () => {
    await run('')
    const child = start(
      "process.on('SIGTERM', () => process.exit(9)); console.log('up'); setInterval(() => 0, 1000)",
    )
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(9)
    const killed = start("process.kill(process.pid, 'SIGKILL')")
    expect(
      await new Promise((resolve) =>
        killed.on('close', (...[, signal]) => {
          resolve(signal)
        }),
      ),
    ).toBe('SIGKILL')
  })

  it('ends the script when npm is gone', async () => {
    await run('')
    const pidFile = join(root, 'pid')
    const script = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => 0, 1000)`
    writeFileSync(join(root, 'script.cjs'), script)
    const shell = spawnSync(
      'sh',
      // The shell, which is the parent of the script, ends once the script has begun.
      [
        '-c',
        `"${process.execPath}" host-worker/launch/run.mjs script.cjs & until [ -s pid ]; do sleep 0.1; done`,
      ],
      {
        cwd: root,
        env: { ...environment, npm_lifecycle_event: 'start' },
        stdio: 'ignore',
        timeout: 60_000,
      },
    )
    expect(shell.status).toBe(0)
    const pid = Number(readFileSync(pidFile, 'utf8'))
    for (let tries = 0; tries < 50 && isAlive(pid); tries += 1) await pause(100)
    expect(isAlive(pid)).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

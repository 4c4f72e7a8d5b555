import { once } from 'node:events'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { membersOf } from '../../../domain/text/encoding.ts'
import { localFiles, parseConfig, type GatewayConfig } from './config.ts'
import { odbcProblem } from './drivers.ts'
import { DatabaseError, createJsonLog } from './errors.ts'
import { createAuthenticator } from './request.ts'
import { createGatewayServer } from './server.ts'
import { createSources } from './sources.ts'

const USAGE = 'Usage: npm run odbc-gateway -- --config FILE'
const NONCES_MAX = 200_000
/** How long requests may go on after a signal to stop, in milliseconds. */
const SHUTDOWN_MS = 10_000

const nowMs = (): number => Date.now()
const log = createJsonLog(
  (line) => process.stdout.write(line),
  () => new Date().toISOString(),
)

function fail(problems: readonly string[]): never {
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exit(1)
}

/** The configuration in the file that the arguments name. Arguments that name none, and problems in it, end the program. */
function loadConfig(): GatewayConfig {
  const path = resolve(configArgument() ?? fail(['--config is missing', USAGE]))
  const read = localFiles.readText(path)
  if (read.kind === 'unreadable') fail([`${path} ${read.problem}`])
  const parsed = parseConfig({
    text: read.text,
    directory: dirname(path),
    environment: process.env,
    ...localFiles,
    odbcProblem,
  })
  return parsed.kind === 'config' ? parsed.config : fail(parsed.problems)
}

function configArgument(): string | undefined {
  try {
    return parseArgs({ options: { config: { type: 'string' } } }).values.config
  } catch (error) {
    const { code, message } = membersOf(error)
    if (!String(code).startsWith('ERR_PARSE_ARGS')) throw error
    return fail([String(message), USAGE])
  }
}

async function run(config: GatewayConfig): Promise<void> {
  const sources = createSources(config, nowMs)
  await probe(sources)
  const authenticate = createAuthenticator({ secrets: config.secrets, nowMs, noncesMax: NONCES_MAX })
  const server = createGatewayServer({
    authenticate,
    sources,
    log,
    nowMs,
    localOnly: config.listen.localOnly === true,
  })
  server.on('error', (error) => fail([`Cannot listen: ${error.message}`]))
  server.listen(config.listen.port, config.listen.host)
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The server listens on no port')
  log.info('listening', { host: bound.address, port: bound.port })

  const stop = (signal: string): void => {
    log.info('stopping', { signal })
    const late = setTimeout(() => {
      server.closeAllConnections()
    }, SHUTDOWN_MS)
    server.close(() => {
      clearTimeout(late)
      void sources.close().then(() => {
        log.info('stopped', {})
        process.exit(0)
      })
    })
    server.closeIdleConnections()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      stop(signal)
    })
}

/**
 * A database that is down may come back, so it is only logged. One that the driver manager does not know is a mistake
 * in the configuration.
 */
async function probe(sources: ReturnType<typeof createSources>): Promise<void> {
  const problems = (await sources.probe()).filter(({ problem }) => problem !== null)
  const mistakes = problems.flatMap(({ source, problem }) =>
    problem instanceof DatabaseError && problem.state.startsWith('IM')
      ? [`${source}: ${problem.message}`]
      : [],
  )
  if (mistakes.length > 0) fail(mistakes)
  for (const { source, problem } of problems) {
    log.error(
      'source_unavailable',
      problem instanceof DatabaseError
        ? { source, sqlState: problem.state, reason: problem.textForLog() }
        : { source },
      problem,
    )
  }
}

await run(loadConfig())

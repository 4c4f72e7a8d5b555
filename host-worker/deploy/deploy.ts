import { parseArgs } from 'node:util'
import { suggestion } from '../../domain/text/nearest-word.ts'
import type { WranglerFile } from '../local/wrangler-file.ts'
import { readWranglerFile } from '../local/wrangler-file.ts'
import type { Deployment, Options } from './deployment.ts'
import type { Ports } from './ports.ts'
import { openKeptSecrets } from './kept-secrets.ts'
import { leftToAPerson } from './left-to-a-person.ts'
import { ENDED, runDeployment } from './run-deployment.ts'
import { stepsFor } from './steps/index.ts'

/** Where a deployment is started. */
export interface Surroundings {
  /** The text of `wrangler.toml`. */
  readonly configuration: () => string
  /** The name of the user of this machine. */
  readonly userName: () => string
  readonly ports: Ports
}

const flags = {
  'dry-run': { type: 'boolean' },
  env: { type: 'string' },
  operator: { type: 'string' },
  'free-plan': { type: 'boolean' },
  'new-root-secret': { type: 'boolean' },
  'take-host': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const USAGE = `npm run deploy -- [FLAG…]   From a Cloudflare account to a service that answers. It can be run again.

  --dry-run          say what would be done, and change nothing
  --env NAME         a named environment of wrangler.toml, such as staging
  --operator NAME    in whose name the first operator key is issued (default: your user name)
  --free-plan        go on without the paid plan of Workers
  --take-host        take the host of routes, although it has DNS records
  --new-root-secret  make a root secret, although the database belongs to another one`

/**
 * Deploys the service as the arguments of the command say.
 * @returns the exit code: 0 for success, 1 when a step failed, 2 for wrong arguments, 130 when it was interrupted
 */
export async function deploy(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { ports } = surroundings
  const read = readOptions(args, surroundings.userName)
  if (typeof read === 'string') {
    ports.note(read)
    return read === USAGE ? ENDED.well : 2
  }
  let file: WranglerFile
  try {
    file = readWranglerFile(surroundings.configuration(), read.environment)
  } catch (error) {
    ports.note(`fails  Configuration: wrangler.toml cannot be read. ${(error as Error).message}`)
    return ENDED.failed
  }
  const kept = openKeptSecrets(file.name, ports.environment)
  const deployment: Deployment = { options: read, ports, file, kept, account: null, url: null, remarks: [] }
  const exitCode = await runDeployment(stepsFor(file), deployment)
  if (exitCode === ENDED.well) sayWhatIsLeft(deployment)
  return exitCode
}

function readOptions(args: readonly string[], userName: () => string): Options | string {
  try {
    const { values } = parseArgs({ args: [...args], options: flags, strict: true })
    if (values.help === true) return USAGE
    return {
      environment: values.env ?? null,
      isDryRun: values['dry-run'] === true,
      operator: values.operator ?? userName(),
      allowsFreePlan: values['free-plan'] === true,
      allowsNewRootSecret: values['new-root-secret'] === true,
      takesHost: values['take-host'] === true,
    }
  } catch (error) {
    const { message } = error as Error
    const [, named = ''] = /'(-[^' ]+)/.exec(message) ?? []
    const known = Object.keys(flags).map((name) => `--${name}`)
    return `${message.split('. ')[0] ?? message}.${suggestion(named, known)}\n\n${USAGE}`
  }
}

function sayWhatIsLeft(deployment: Deployment): void {
  const { ports, options, url } = deployment
  ports.note('')
  ports.note(
    options.isDryRun
      ? 'Nothing was changed. Afterwards this is left to you:'
      : `${url ?? ''} serves. Left to you:`,
  )
  for (const each of leftToAPerson(deployment)) ports.note(`- ${each}`)
}

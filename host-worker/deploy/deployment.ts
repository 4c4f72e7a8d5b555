import { dirname, join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import type { GenericSchema, InferOutput } from 'valibot'
import { suggestion } from '../../domain/text/words.ts'
import type { Clock } from '../../ports/platform.ts'
import type { WranglerFile } from '../local/project.ts'
import { readTextFile, writePrivateFile } from '../local/state.ts'
import { loginPath } from '../operator/client/choose-service.ts'
import type { Reach } from '../operator/client/call-service.ts'

/** What a deployment needs of the machine and of Cloudflare. */
export interface World {
  /** The text of `wrangler.toml`. */
  readonly configuration: () => string
  /** The name of the user of this machine. */
  readonly userName: () => string
  /**
   * Runs wrangler without a terminal, so that it asks nothing, and shows what it prints, or else reads that. Nothing
   * secret is among the arguments.
   */
  readonly wrangler: (
    args: readonly string[],
    use: 'show' | 'read',
  ) => Promise<{ readonly exitCode: number; readonly stdout: string }>
  /** Sends a request to Cloudflare's API, or to the deployed service. */
  readonly reach: Reach
  /** Whether the public name service knows this host. */
  readonly resolves: (host: string) => Promise<boolean>
  readonly newRootSecret: () => string
  /** Writes one line for the person at the terminal. */
  readonly note: (line: string) => void
  readonly pause: (durationMs: number) => Promise<void>
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the person interrupts the command. */
  readonly interrupted: AbortSignal
}

/** A deployment under way: what was asked for, and what its steps found out. */
export interface Deployment {
  readonly world: World
  readonly options: ReturnType<typeof readOptions>
  /** What `wrangler.toml` says of the environment. */
  readonly file: WranglerFile
  readonly kept: KeptSecrets
  /** Null: nobody is logged in. Only a dry run goes on without, as in an empty account. */
  account: Account | null
  /** The address of the service, once its step has found it. */
  url: string
  /** The names of the secrets that the service has. Nobody can read their values again. */
  served: readonly string[]
  /** What a person should know or do afterwards, besides what every deployment needs. */
  readonly remarks: string[]
}

/**
 * The Cloudflare account that a deployment is for: what the API answers to a path, null when there is no such thing.
 * wrangler makes every change. Throws a `Denied` when this login may not ask.
 */
export interface Account {
  readonly id: string
  /** @param path below the account, or, with a leading slash, below the API */
  get<Schema extends GenericSchema>(path: string, schema: Schema): Promise<InferOutput<Schema> | null>
}

/** The flags of the command. */
export const flags = {
  'dry-run': { type: 'boolean', default: false },
  env: { type: 'string' },
  operator: { type: 'string' },
  'free-plan': { type: 'boolean', default: false },
  'new-root-secret': { type: 'boolean', default: false },
  'take-host': { type: 'boolean', default: false },
  retire: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** What the person asked for. Throws for arguments that are not among the flags. */
export function readOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: flags, strict: true }).values
}

/** What the service takes from a secret. The manual "Operate" says what each is for. */
const providerSecrets = [
  'RESEND_API_KEY',
  'RESEND_WEBHOOK_SECRET',
  'TWILIO_ACCOUNT_SID',
  'TWILIO_AUTH_TOKEN',
  'TWILIO_MESSAGING_SERVICE_SID',
  'TWILIO_SHORTCODE',
  'QSTASH_TOKEN',
  'QSTASH_CURRENT_SIGNING_KEY',
  'QSTASH_NEXT_SIGNING_KEY',
  'QSTASH_CALLBACK_URL',
  'POS_GATEWAY_URL',
  'POS_GATEWAY_SECRET',
  'DUB_API_KEY',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_USER',
  'CLICKHOUSE_PASSWORD',
]

/** The names that only the deployment itself writes. */
const OWN = ['ROOT_SECRET', 'OPERATOR_KEY']

/** What wrangler logs in with, when it is in the environment. */
const LOGINS = ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_API_KEY', 'CLOUDFLARE_EMAIL']

type Texts = Readonly<Record<string, string | undefined>>

/**
 * The secrets of one deployment, in a file that only its user can read, outside the project: `NAME=value`, a line each.
 * It is the copy of the root secret, and the place from which providers' secrets are sent to the service. It need not
 * exist.
 */
export class KeptSecrets {
  readonly path: string
  readonly #environment: Texts

  constructor(name: string, environment: Texts) {
    this.path = join(dirname(loginPath(environment)), 'deployments', `${name}.env`)
    this.#environment = environment
  }

  /** The value of a name; null: the file has none. */
  get(name: string): string | null {
    return this.#values().find(([known]) => known === name)?.[1] ?? null
  }

  /** The providers' secrets in the file. */
  provided(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#values().filter(([name]) => providerSecrets.includes(name)))
  }

  /** A sentence for each line that is no secret of the service. */
  problems(): readonly string[] {
    const unknown = this.#values().filter(([name]) => ![...providerSecrets, ...OWN].includes(name))
    return unknown.map(
      ([name]) =>
        `${this.path} has a line ${name}, which is no secret of the service.${suggestion(name, providerSecrets)}`,
    )
  }

  /** Puts a line into the file, in place of an earlier one with this name. */
  keep(name: string, value: string): void {
    const lines = (readTextFile(this.path) ?? '').split('\n')
    const others = lines.filter((line) => line !== '' && !line.startsWith(`${name}=`))
    writePrivateFile(this.path, [...others, `${name}=${value}`, ''].join('\n'))
  }

  /** A text without the values of the file, and without the login of wrangler. */
  hidden(text: string): string {
    const secrets = [
      ...this.#values().map(([, value]) => value),
      ...LOGINS.map((name) => this.#environment[name]),
    ]
    return secrets.reduce<string>(
      (rest, secret = '') => (secret.length < 6 ? rest : rest.replaceAll(secret, '(hidden)')),
      text,
    )
  }

  #values(): readonly (readonly [name: string, value: string])[] {
    const lines = Object.entries(parseEnv(readTextFile(this.path) ?? '')) as [string, string][]
    return lines.filter(([, value]) => value !== '')
  }
}

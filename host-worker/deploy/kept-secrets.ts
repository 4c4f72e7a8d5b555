import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { suggestion } from '../../domain/text/nearest-word.ts'
import { readTextFile, writePrivateFile } from '../local/private-files.ts'
import { loginPath } from '../operator/client/login-file.ts'

/** What the service takes from a secret. The manual "Operate" says what each is for. */
const providerSecrets = [
  'RESEND_API_KEY',
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

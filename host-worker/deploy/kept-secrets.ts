import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { suggestion } from '../../domain/text/nearest-word.ts'
import { readTextFile, writePrivateFile } from '../local/private-files.ts'
import { loginPath } from '../operator/client/login-file.ts'

/**
 * The secrets of one deployment, in a file that only its user can read, outside the project: `NAME=value`, a line each.
 * It is the copy of the root secret, and the place from which providers' secrets are sent to the service.
 */
export interface KeptSecrets {
  readonly path: string
  /** The value of a name; null: the file has none. */
  get(name: string): string | null
  /** The providers' secrets in the file. */
  provided(): Readonly<Record<string, string>>
  /** What is wrong with the file. */
  problems(): readonly string[]
  /** Puts a line into the file, in place of an earlier one with this name. */
  keep(name: string, value: string): void
  /** A text without the values of the file, and without the login of wrangler. */
  hidden(text: string): string
}

/** What the service takes from a secret. The manual "Operate" says what each is for. */
export const providerSecrets = [
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
] as const

/** The names that only the deployment itself writes. */
const OWN = ['ROOT_SECRET', 'OPERATOR_KEY']

/** What wrangler logs in with, when it is in the environment. */
const LOGINS = ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_API_KEY', 'CLOUDFLARE_EMAIL']

/** Opens the file of a deployment. It need not exist. */
export function openKeptSecrets(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): KeptSecrets {
  const path = join(dirname(loginPath(environment)), 'deployments', `${name}.env`)
  const text = () => readTextFile(path) ?? ''
  const values = () => parseEnv(text()) as Readonly<Record<string, string>>
  const given = (wanted: string) => values()[wanted] ?? ''
  return {
    path,
    get: (wanted) => (given(wanted) === '' ? null : given(wanted)),
    provided: () =>
      Object.fromEntries(
        providerSecrets.flatMap((wanted) => (given(wanted) === '' ? [] : [[wanted, given(wanted)]])),
      ),
    problems: () =>
      Object.keys(values())
        .filter((line) => ![...providerSecrets, ...OWN].includes(line))
        .map(
          (line) =>
            `${path} has a line ${line}, which is no secret of the service.${suggestion(line, providerSecrets)}`,
        ),
    keep: (line, value) => {
      const others = text()
        .split('\n')
        .filter((each) => each !== '' && !each.startsWith(`${line}=`))
      writePrivateFile(path, [...others, `${line}=${value}`, ''].join('\n'))
    },
    hidden: (shown) =>
      [...Object.values(values()), ...LOGINS.map((login) => environment[login] ?? '')]
        .filter(({ length }) => length >= 6)
        .reduce((rest, secret) => rest.replaceAll(secret, '(hidden)'), shown),
  }
}

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { deploy } from '../../../host-worker/deploy/deploy.ts'
import type { World } from '../../../host-worker/deploy/deployment.ts'
import { readWranglerFile } from '../../../host-worker/local/project.ts'
import { fakeClock } from '../runner/fakes.ts'
import { openTestOperator, type TestOperator } from '../services/operator/operator.ts'
import { addDatabase, upload, type CloudflareAccount, type Script } from './account.ts'
import { answerFor, TOKEN } from './stand-in.ts'

/** What may go wrong in a run of the command, and what the machine knows. */
export interface Conditions {
  readonly configuration?: string
  /** Null: nobody is logged in. */
  readonly token?: string | null
  /** Called before each call of wrangler; whether that call fails. */
  readonly fails?: (args: readonly string[], interrupt: () => void) => boolean
  /** The service's answer in place of its own; null: its own. */
  readonly service?: (path: string, interrupt: () => void) => Response | null
  readonly resolves?: boolean
}

export interface Deployed {
  readonly exitCode: number
  readonly output: string
  /** The arguments of each call of wrangler that it shows. */
  readonly shown: readonly (readonly string[])[]
  /** What was in the files of secrets that wrangler was given. */
  readonly secretsFiles: readonly string[]
}

/** When every test service begins. */
const startedMs = fakeClock().nowMs()

/** A person's machine with an account at Cloudflare. The file of secrets and the login stay between its runs. */
export class Deployer {
  readonly directory = mkdtempSync(join(tmpdir(), 'deployer-'))
  /** The root secrets that were made, of which none may be seen anywhere. */
  readonly madeSecrets: string[] = []
  readonly #account: CloudflareAccount
  readonly #configuration: string
  readonly #services = new Map<Script, TestOperator>()
  #waitedMs = 0

  constructor(account: CloudflareAccount, configuration: string) {
    this.#account = account
    this.#configuration = configuration
  }

  /** The path of a file of this user, below the folder of this program. */
  path(...parts: readonly string[]): string {
    return join(this.directory, 'tenant-data-api', ...parts)
  }

  /** A file of this user; null: there is none. */
  read(...parts: readonly string[]): string | null {
    const path = this.path(...parts)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Runs the command with these arguments. */
  async run(args: readonly string[] = [], conditions: Conditions = {}): Promise<Deployed> {
    const {
      configuration = this.#configuration,
      token = TOKEN,
      fails,
      service,
      resolves = false,
    } = conditions
    // A proof of the root secret works once, and two runs are never in the same second.
    this.#waitedMs += 1_000
    const interruption = new AbortController()
    const interrupt = () => {
      interruption.abort()
    }
    let output = ''
    const shown: (readonly string[])[] = []
    const secretsFiles: string[] = []
    const wrangler: World['wrangler'] = async (given, use) => {
      if (use === 'show') shown.push(given)
      const [account, words] = [this.#account, given.join(' ')]
      if (fails?.(given, interrupt) === true) return { exitCode: 1, stdout: '' }
      if (words === 'whoami --json')
        return token === TOKEN
          ? printed({ loggedIn: true, email: 'ada@example.com', accounts: [account] })
          : { exitCode: 1, stdout: '{"loggedIn":false}' }
      if (words === 'auth token --json') return printed({ type: 'api_token', token })
      if (words.startsWith('d1 create ')) addDatabase(account, given[2] ?? '')
      else if (words.startsWith('deploy --secrets-file ')) {
        const text = readFileSync(given[2] ?? '', 'utf8')
        secretsFiles.push(text)
        const environment = words.replace(/^.* --env=/, '')
        const file = readWranglerFile(configuration, environment === '' ? null : environment)
        const secrets = Object.entries(JSON.parse(text) as Record<string, string>)
        const bindings = [
          ...file.d1_databases.map(({ binding }) => ({ type: 'd1', name: binding })),
          ...secrets.map(([name, value]) => ({ type: 'secret_text', name, text: value })),
        ]
        upload(account, file.name, { main_module: 'worker.js', compatibility_date: '2026-01-01', bindings })
      } else if (
        !/^(?:d1 migrations apply \w+ --remote|d1 execute DB --remote --yes --command DROP INDEX IF EXISTS [^`]+|deploy --dry-run) --env=\w*$/.test(
          words,
        )
      )
        throw new Error(`No such call of wrangler here: ${words}`)
      return printed(null)
    }
    const exitCode = await deploy(args, {
      configuration: () => configuration,
      userName: () => 'ada',
      wrangler,
      reach: (request) => this.#answer(request, (path) => service?.(path, interrupt) ?? null),
      resolves: async () => resolves,
      newRootSecret: () => {
        const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
        this.madeSecrets.push(made)
        return made
      },
      note: (line) => (output += `${line}\n`),
      pause: async (durationMs) => {
        this.#waitedMs += durationMs
      },
      clock: { nowMs: () => startedMs + this.#waitedMs },
      environment: { XDG_CONFIG_HOME: this.directory, CLOUDFLARE_API_TOKEN: token ?? '' },
      interrupted: interruption.signal,
    })
    return { exitCode, output, shown, secretsFiles }
  }

  async #answer(request: Request, instead: (path: string) => Response | null): Promise<Response> {
    const { hostname, pathname, search } = new URL(request.url)
    const { method, headers } = request
    if (hostname === 'api.cloudflare.com') {
      const path = pathname.replace('/client/v4', '') + search
      const authorization = headers.get('authorization') ?? ''
      const asked = { method, path, headers: { authorization }, body: '' }
      const { status, body } = answerFor(this.#account, asked)
      return Response.json(body, { status })
    }
    const script = [...this.#account.scripts.values()].find(({ name }) =>
      [`${name}.${this.#account.subdomain ?? ''}.workers.dev`, 'api.acme.org'].includes(hostname),
    )
    if (script === undefined) throw new Error(`There is no service at ${hostname}`)
    // The service that a Worker would be, with the root secret that was sent to it.
    const operator =
      this.#services.get(script) ??
      (await openTestOperator(await openSecrets(script.secrets.get('ROOT_SECRET') ?? '', null)))
    this.#services.set(script, operator)
    const other = instead(pathname)
    if (other !== null) return other
    if (pathname === '/health') return Response.json({ status: 'ok' })
    if (pathname.startsWith('/assets/')) return new Response('script')
    return operator.reach(request)
  }
}

const printed = (value: unknown) => ({ exitCode: 0, stdout: JSON.stringify(value) })

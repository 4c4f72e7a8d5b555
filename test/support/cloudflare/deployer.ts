import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSecrets } from '../../../domain/access/secrets.ts'
import type { Ports, WranglerRun } from '../../../host-worker/deploy/ports.ts'
import { deploy } from '../../../host-worker/deploy/deploy.ts'
import type { TestOperator } from '../services/operator/operator.ts'
import { openTestOperator } from '../services/operator/operator.ts'
import { fakeClock } from '../runner/fakes.ts'
import type { CloudflareAccount, Script } from './account.ts'
import type { FakeWrangler } from './fake-wrangler.ts'
import { fakeWrangler } from './fake-wrangler.ts'
import { answerFor, TOKEN } from './stand-in.ts'

/** What may go wrong in a run of the command, and what the machine knows. */
export interface Conditions {
  readonly configuration?: string
  /** Null: nobody is logged in. */
  readonly token?: string | null
  /** Called before each call of wrangler; what it returns is the result of that call. */
  readonly before?: (args: readonly string[], interrupt: () => void) => WranglerRun | null
  /** The service's answer in place of its own; null: its own. */
  readonly service?: (path: string) => Response | null
  readonly resolves?: boolean
}

export interface Deployed {
  readonly exitCode: number
  readonly output: string
  readonly wrangler: FakeWrangler
}

/** When every test service begins. */
const startedMs = fakeClock().nowMs()

/** A person's machine with an account at Cloudflare. The file of secrets and the login stay between its runs. */
export class Deployer {
  readonly directory = mkdtempSync(join(tmpdir(), 'deployer-'))
  readonly account: CloudflareAccount
  readonly #configuration: string
  readonly #secrets: string[] = []
  /** The services, by the name of the Worker. */
  readonly #services = new Map<string, TestOperator>()
  #waitedMs = 0

  constructor(account: CloudflareAccount, configuration: string) {
    this.account = account
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

  /** The root secrets that were made, of which none may be seen anywhere. */
  get madeSecrets(): readonly string[] {
    return this.#secrets
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Runs the command with these arguments. */
  async run(args: readonly string[] = [], conditions: Conditions = {}): Promise<Deployed> {
    const { configuration = this.#configuration, token = TOKEN, before, service } = conditions
    // A proof of the root secret works once, and two runs are never in the same second.
    this.#waitedMs += 1_000
    const interruption = new AbortController()
    const interrupt = () => {
      interruption.abort()
    }
    const wrangler = fakeWrangler(
      this.account,
      configuration,
      token,
      (given) => before?.(given, interrupt) ?? null,
    )
    let output = ''
    const ports: Ports = {
      wrangler: wrangler.run,
      reach: (request) => this.#answer(request, service),
      resolves: async () => conditions.resolves === true,
      newRootSecret: () => {
        const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
        this.#secrets.push(made)
        return made
      },
      note: (line) => (output += `${line}\n`),
      pause: async (durationMs) => {
        this.#waitedMs += durationMs
      },
      clock: { nowMs: () => startedMs + this.#waitedMs },
      environment: { XDG_CONFIG_HOME: this.directory, CLOUDFLARE_API_TOKEN: token ?? '' },
      interrupted: interruption.signal,
    }
    const exitCode = await deploy(args, { configuration: () => configuration, userName: () => 'ada', ports })
    return { exitCode, output, wrangler }
  }

  async #answer(request: Request, instead: Conditions['service']): Promise<Response> {
    const { hostname, pathname, search } = new URL(request.url)
    if (hostname === 'api.cloudflare.com') {
      const { status, body } = answerFor(this.account, {
        method: request.method,
        path: pathname.replace('/client/v4', '') + search,
        headers: { authorization: request.headers.get('authorization') ?? '' },
        body: await request.text(),
      })
      return Response.json(body, { status })
    }
    const script = [...this.account.scripts.values()].find(({ name, domains }) =>
      [`${name}.${this.account.subdomain ?? ''}.workers.dev`, ...domains, 'api.acme.org'].includes(hostname),
    )
    if (script === undefined) throw new Error(`There is no service at ${hostname}`)
    const operator = this.#services.get(script.name) ?? (await open(script))
    this.#services.set(script.name, operator)
    const other = instead?.(pathname) ?? null
    if (other !== null) return other
    if (pathname === '/health') return Response.json({ status: 'ok' })
    if (pathname.startsWith('/assets/')) return new Response('script')
    return operator.reach(request)
  }
}

/** The service that a Worker would be, with the root secret that was sent to it. */
async function open({ secrets }: Script): Promise<TestOperator> {
  return openTestOperator(await openSecrets(secrets.get('ROOT_SECRET') ?? '', null))
}

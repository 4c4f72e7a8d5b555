import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wrangler, WranglerRun } from '../../../host-worker/deploy/ports.ts'
import { projectRoot } from '../../../host-worker/local/root.ts'
import { migrationsIn } from '../../../host-worker/local/migrate.ts'
import { readWranglerFile } from '../../../host-worker/local/wrangler-file.ts'
import type { StandInAnswer } from '../providers/stand-in.ts'
import type { CloudflareAccount } from './account.ts'
import { answerFor, TOKEN, upload } from './stand-in.ts'

/** wrangler without its process, for tests of what calls it. test/ci/operator/deploy.ts runs the real one. */
export interface FakeWrangler {
  readonly run: Wrangler
  /** The arguments of each call. */
  readonly calls: (readonly string[])[]
  /** What the secrets files held that it was given, and their modes. */
  readonly secretsFiles: string[]
}

/**
 * @param configuration the text of `wrangler.toml`
 * @param token that of its login; null: nobody is logged in
 * @param before called before each call; what it returns is the result of the call
 */
export function fakeWrangler(
  account: CloudflareAccount,
  configuration: string,
  token: string | null,
  before: (args: readonly string[]) => WranglerRun | null | Promise<WranglerRun | null>,
): FakeWrangler {
  const calls: (readonly string[])[] = []
  const secretsFiles: string[] = []
  const ask = (method: string, path: string, body: unknown = null) =>
    answerFor(account, {
      method,
      path: path.startsWith('/') ? path : `/accounts/${account.id}/${path}`,
      headers: { authorization: `Bearer ${token ?? ''}` },
      body: JSON.stringify(body),
    })
  const run: Wrangler = async (args) => {
    calls.push(args)
    const instead = await before(args)
    if (instead !== null) return instead
    const named = args.find((word) => word.startsWith('--env='))?.slice('--env='.length) ?? ''
    const file = readWranglerFile(configuration, named === '' ? null : named)
    const database = file.d1_databases.find(({ binding }) => args.includes(binding))
    const path = `d1/database/${database?.database_name ?? ''}/query`
    switch (
      args
        .slice(0, 3)
        .filter((word) => /^[a-z]\w*$/.test(word) && !account.buckets.has(word))
        .slice(0, 2)
        .join(' ')
    ) {
      case 'whoami':
        return token === TOKEN
          ? printed({ loggedIn: true, email: 'ada@example.com', accounts: [account] })
          : failed()
      case 'auth token':
        return printed({ type: 'api_token', token })
      case 'd1 create':
        return outcome(ask('POST', 'd1/database', { name: args[2] }))
      case 'queues create':
        return outcome(ask('POST', 'queues', { queue_name: args[2] }))
      case 'r2 bucket':
        return outcome(ask('POST', 'r2/buckets', { name: args[3] }))
      case 'd1 execute': {
        const answer = ask('POST', path, { sql: args.at(-2) })
        return answer.status === 200 ? printed((answer.body as { result: unknown }).result) : outcome(answer)
      }
      case 'd1 migrations':
        return outcome(applied((sql) => ask('POST', path, { sql }), database?.migrations_dir ?? ''))
      case 'deploy': {
        if (args.includes('--dry-run')) return done('Total Upload: 1 KiB / gzip: 1.00 KiB')
        const secretsFile = args[args.indexOf('--secrets-file') + 1]
        const text = args.includes('--secrets-file') ? readFileSync(secretsFile ?? '', 'utf8') : '{}'
        secretsFiles.push(text)
        const secrets = Object.entries(JSON.parse(text) as Record<string, string>)
        const bindings = [
          ...file.d1_databases.map(({ binding }) => ({ type: 'd1', name: binding })),
          ...secrets.map(([name, value]) => ({ type: 'secret_text', name, text: value })),
        ]
        const metadata = { main_module: 'worker.js', compatibility_date: '2026-01-01', bindings }
        upload(account, file.name, metadata, { modules: new Map(), isDeployed: true })
        return done('Total Upload: 1 KiB / gzip: 1.00 KiB\nCurrent Version ID: version-1')
      }
      default:
        throw new Error(`No such call of wrangler here: ${args.join(' ')}`)
    }
  }
  return { run, calls, secretsFiles }
}

/** Applies the migrations that are missing, each in a transaction, as wrangler does. */
function applied(query: (sql: string) => StandInAnswer, folder: string): StandInAnswer {
  let answer = query('CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)')
  for (const { name } of migrationsIn(join(projectRoot, folder))) {
    const sql = readFileSync(join(projectRoot, folder, name), 'utf8')
    answer = query(`${sql}\n; INSERT INTO d1_migrations (name) VALUES ('${name}')`)
  }
  return answer
}

function done(stdout: string): WranglerRun {
  return { exitCode: 0, stdout, stderr: '' }
}

const printed = (value: unknown) => done(JSON.stringify(value))
const failed = () => ({ exitCode: 1, stdout: '{"loggedIn":false}', stderr: '' })

function outcome({ status, body }: StandInAnswer): WranglerRun {
  const { errors } = body as {
    readonly errors: readonly { readonly message: string; readonly code: number }[]
  }
  const [problem] = errors
  if (status === 200) return done('')
  return {
    exitCode: 1,
    stdout: '',
    stderr: `\u001B[31m✘ \u001B[41;31m[\u001B[41;97mERROR\u001B[41;31m]\u001B[0m ${problem?.message ?? ''} [code: ${problem?.code ?? 0}]\n\nIf you think this is a bug, please open an issue`,
  }
}

import * as v from 'valibot'
import { jsonIn, openAccount } from '../account.ts'
import type { Deployment } from '../deployment.ts'
import { checking } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'

const Who = v.object({
  loggedIn: v.boolean(),
  email: v.optional(v.string()),
  authType: v.optional(v.string()),
  accounts: v.optional(v.array(v.object({ id: v.string(), name: v.string() })), []),
})

/** Finds out who is logged in, and which account is meant. */
export const login = checking('Login', async (deployment) => {
  const { ports, options } = deployment
  const { stdout, exitCode } = await ports.wrangler(['whoami', '--json'])
  const who = exitCode === 0 ? v.parse(Who, jsonIn(stdout)) : null
  if (who?.loggedIn !== true) {
    if (options.isDryRun) return 'nobody is logged in, so what follows is the plan for an empty account'
    throw new DeployError(
      'Nobody is logged in to Cloudflare, or the token in CLOUDFLARE_API_TOKEN is not accepted.',
      'Log in with "npx wrangler login", or set CLOUDFLARE_API_TOKEN.',
    )
  }
  const account = meant(deployment, who.accounts)
  deployment.account = await openAccount(account, ports)
  return `${who.email ?? who.authType ?? 'a token'}, for the account ${account.name} (${account.id})`
})

type Named = v.InferOutput<typeof Who>['accounts'][number]

/** The account that `wrangler.toml` or the environment names, or else the only one. */
function meant({ file, ports }: Deployment, accounts: readonly Named[]): Named {
  const wanted = file.account_id ?? ports.environment.CLOUDFLARE_ACCOUNT_ID
  const [only, ...others] = accounts.filter(
    ({ id }) => wanted === undefined || wanted === '' || id === wanted,
  )
  if (only !== undefined && others.length === 0) return only
  const all = accounts.map(({ name, id }) => `${name} (${id})`).join(', ') || 'no account'
  throw new DeployError(
    only === undefined
      ? `This login does not reach the account ${wanted ?? ''}. It reaches ${all}.`
      : `This login reaches several accounts: ${all}.`,
    'Set CLOUDFLARE_ACCOUNT_ID, or account_id in wrangler.toml, to the id of the one that is meant.',
  )
}

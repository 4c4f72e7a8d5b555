import * as v from 'valibot'
import { deployedAddress } from '../../operator/client/service/deployed-address.ts'
import type { WranglerFile } from '../../local/wrangler-file.ts'
import type { Account } from '../account.ts'
import { Denied } from '../account.ts'
import type { Deployment } from '../deployment.ts'
import { checking } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'

/** The host of `routes`; null: the service answers under workers.dev alone. */
export function hostOf(file: WranglerFile): string | null {
  const address = deployedAddress(file)
  return 'url' in address ? new URL(address.url).host : null
}

const Settings = v.object({ bindings: v.array(v.object({ type: v.string(), name: v.string() })) })
const Domains = v.array(v.object({ hostname: v.string(), service: v.string() }))
const Zones = v.array(v.object({ id: v.string(), name: v.string() }))
const Subdomain = v.object({ subdomain: v.string() })

/**
 * Finds out at which address the service answers, and that neither the name of the Worker nor the host is taken:
 * without a terminal, wrangler replaces what has them, and does not ask.
 */
export const address = checking('Address', async (deployment) => {
  const { account, file } = deployment
  const host = hostOf(file)
  if (account === null) {
    deployment.url = `https://${host ?? `${file.name}.ACCOUNT.workers.dev`}`
    return deployment.url
  }
  await refuseOther(account, file.name)
  if (host !== null) await refuseTaken(deployment, account, host)
  deployment.url = `https://${host ?? (await workersDev(account, file.name))}`
  return deployment.url
})

/** Refuses a name under which the account has another Worker. */
async function refuseOther(account: Account, name: string): Promise<void> {
  const found = await account.get(`workers/scripts/${name}/settings`)
  if (found === null) return
  const { bindings } = v.parse(Settings, found)
  if (bindings.some((binding) => binding.type === 'd1' && binding.name === 'DB')) return
  throw new DeployError(
    `The account has a Worker ${name} that is not this service: it has no database DB.`,
    'Give this one another name, in the first line of wrangler.toml.',
  )
}

async function refuseTaken(
  { ports, options, file }: Deployment,
  account: Account,
  host: string,
): Promise<void> {
  const zone = host.split('.').map((_, index, parts) => parts.slice(index).join('.'))
  const zones: readonly unknown[] = await Promise.all(
    zone.slice(0, -1).map((name) => account.get(`/zones?name=${name}&account.id=${account.id}`)),
  )
  const found = zones.flatMap((each) => v.parse(Zones, each ?? []))
  if (found.length === 0)
    throw new DeployError(
      `The account serves no domain that ${host} belongs to.`,
      'Add the domain in the dashboard (Websites, Add a domain), or correct routes in wrangler.toml.',
    )
  const domains = v.parse(Domains, (await account.get('workers/domains')) ?? [])
  const owner = domains.find(({ hostname }) => hostname === host)
  if (owner !== undefined && owner.service !== file.name)
    throw new DeployError(
      `${host} belongs to the Worker ${owner.service}, and wrangler would take it away from there.`,
      'Remove it there, or choose another host in routes.',
    )
  if (
    owner === undefined &&
    !options.takesHost &&
    (await hasRecords(ports.resolves, account, found[0]?.id ?? '', host))
  )
    throw new DeployError(
      `${host} has DNS records already, and wrangler would replace them.`,
      'Remove them, choose another host in routes, or give --take-host when they may go.',
    )
}

async function hasRecords(
  resolves: (host: string) => Promise<boolean>,
  account: Account,
  zoneId: string,
  host: string,
): Promise<boolean> {
  try {
    const records = await account.get(`/zones/${zoneId}/dns_records?name=${host}`)
    return Array.isArray(records) && records.length > 0
  } catch (error) {
    if (!(error instanceof Denied)) throw error
    return resolves(host)
  }
}

async function workersDev(account: Account, name: string): Promise<string> {
  const found = await account.get('workers/subdomain')
  if (found !== null) return `${name}.${v.parse(Subdomain, found).subdomain}.workers.dev`
  throw new DeployError(
    'The account has no address under workers.dev yet, and wrangler.toml names no host of its own.',
    `Choose one at https://dash.cloudflare.com/${account.id}/workers/onboarding, or set routes in wrangler.toml.`,
  )
}

import * as v from 'valibot'
import type { WranglerFile } from '../../local/wrangler-file.ts'
import type { Account } from '../account.ts'
import type { Step } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'
import { wranglerFor } from '../wrangler.ts'

/** A kind of thing that bindings name: how it is found, and how wrangler makes it. */
interface Kind {
  readonly kind: string
  readonly names: (file: WranglerFile) => readonly string[]
  readonly isThere: (account: Account, name: string, worker: string) => Promise<boolean>
  readonly create: readonly string[]
}

/**
 * What a deployment needs in the account. `wrangler.toml` has names alone: wrangler finds what has them when it uploads
 * the Worker.
 */
const kinds: readonly Kind[] = [
  {
    kind: 'Database',
    names: ({ d1_databases: databases }) => databases.flatMap(({ database_name: name }) => name ?? []),
    isThere: async (account, name) => (await account.get(`d1/database/${encodeURIComponent(name)}`)) !== null,
    create: ['d1', 'create'],
  },
  {
    kind: 'Queue',
    names: ({ queues }) => queues.producers.map(({ queue }) => queue),
    isThere: async (account, name, worker) => {
      const found = v.parse(Queues, await account.get(`queues?name=${encodeURIComponent(name)}`))
      const queue = found.find(({ queue_name: each }) => each === name)
      const other = queue?.consumers.find(({ script = worker }) => script !== worker)
      if (other !== undefined)
        throw new DeployError(
          `The Worker ${other.script ?? ''} reads the queue ${name}, and a queue has one reader.`,
          'Give the queue another name in wrangler.toml, in [[queues.producers]] and [[queues.consumers]].',
        )
      return queue !== undefined
    },
    create: ['queues', 'create'],
  },
  {
    kind: 'Bucket',
    names: ({ r2_buckets: buckets }) => buckets.map(({ bucket_name: name }) => name),
    isThere: async (account, name) => (await account.get(`r2/buckets/${encodeURIComponent(name)}`)) !== null,
    create: ['r2', 'bucket', 'create'],
  },
]

const Queues = v.array(
  v.object({
    queue_name: v.string(),
    consumers: v.optional(v.array(v.object({ script: v.optional(v.string()) })), []),
  }),
)

/** A step for each database, queue and bucket of a deployment. */
export function resourceSteps(file: WranglerFile): readonly Step[] {
  return kinds.flatMap((kind) => kind.names(file).map((name) => resourceStep(kind, name)))
}

function resourceStep({ kind, isThere, create }: Kind, name: string): Step {
  return {
    name: `${kind} ${name}`,
    isDone: async ({ account, file }) =>
      account !== null && (await isThere(account, name, file.name)) ? 'found' : null,
    plan: () => `create it (wrangler ${create.join(' ')} ${name})`,
    run: async (deployment) => {
      await wranglerFor(deployment, [...create, name])
      return 'created'
    },
  }
}

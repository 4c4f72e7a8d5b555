import type { Deployment } from '../deployment.ts'
import { checking } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'
import { hostOf } from './address.ts'

/** Names that no service has: RFC 2606 reserves them for examples. */
export const EXAMPLE_NAME = /(?:^|\.)example\.(?:com|net|org)$/

/** Checks what `wrangler.toml` and the file of secrets say, as far as that needs no account. */
export const configuration = checking('Configuration', async (deployment) => {
  const { file, kept } = deployment
  const problems = [...problemsOf(deployment), ...kept.problems()]
  if (problems.length > 0) throw new DeployError(problems.join(' '), 'Correct that in the file.')
  return `the Worker ${file.name}, with ${file.d1_databases.length} databases, ${file.queues.producers.length} queues and ${file.r2_buckets.length} buckets`
})

function* problemsOf({ file }: Deployment): Generator<string> {
  if (!file.d1_databases.some(({ binding }) => binding === 'DB'))
    yield 'wrangler.toml binds no database as DB, in which the service keeps its data.'
  for (const { binding, database_name: name } of file.d1_databases)
    if (name === undefined) yield `wrangler.toml gives the database ${binding} no database_name.`
  const host = hostOf(file)
  if (host !== null && EXAMPLE_NAME.test(host))
    yield `routes in wrangler.toml has the host ${host}, which is an example. Put yours there.`
  const consumed = file.queues.consumers.map(({ queue }) => queue)
  for (const { queue } of file.queues.producers)
    if (!consumed.includes(queue))
      yield `wrangler.toml has no [[queues.consumers]] for the queue ${queue}, so nothing would read it.`
}

import * as v from 'valibot'
import { rootSecretProblem } from '../../../domain/access/secrets.ts'
import { readEnv } from '../../env/index.ts'
import type { Deployment, Step } from '../deployment.ts'
import { checking } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'
import { EXAMPLE_NAME } from './configuration.ts'
import { appliedMigrations } from './migrations.ts'

const Secrets = v.array(v.object({ name: v.string() }))

/** The names of the secrets that the service has. Nobody can read their values again. */
export async function servedSecrets({ account, file }: Deployment): Promise<readonly string[]> {
  const found = await account?.get(`workers/scripts/${file.name}/secrets`)
  return v.parse(Secrets, found ?? []).map(({ name }) => name)
}

/**
 * Makes the root secret, unless the service has one, and keeps the copy before anything else knows it: when the
 * deployment is interrupted, the next one goes on with the same secret.
 */
export const rootSecret: Step = {
  name: 'Root secret',
  isDone: async (deployment) => {
    const { kept } = deployment
    const own = kept.get('ROOT_SECRET')
    const problem = own === null ? null : rootSecretProblem(own)
    if (problem !== null)
      throw new DeployError(`ROOT_SECRET in ${kept.path} ${problem}.`, 'Correct that line.')
    if ((await servedSecrets(deployment)).includes('ROOT_SECRET'))
      return `the service has one${own === null ? '' : `; a copy is in ${kept.path}`}`
    return own === null ? null : `kept in ${kept.path}`
  },
  plan: ({ kept }) => `make 32 random bytes, and keep the copy in ${kept.path}, which only you can read`,
  run: async (deployment) => {
    const { kept, options, ports } = deployment
    const isUsed = (await appliedMigrations(deployment, 'DB')).length > 0
    if (isUsed && !options.allowsNewRootSecret)
      throw new DeployError(
        `The database DB was used before, by a service whose root secret is neither there nor in ${kept.path}. With another one, its keys and form passwords do not work.`,
        `Put the line ROOT_SECRET=… into ${kept.path}, or give --new-root-secret when nothing of that service is needed.`,
      )
    kept.keep('ROOT_SECRET', ports.newRootSecret())
    return `made. The copy is in ${kept.path}: keep it in your password manager too. Nobody can read it from the service`
  },
}

/** A binding that has every method that the service looks for. */
const anyBinding = new Proxy({}, { get: () => () => undefined })

/** Checks variables and secrets by the service's own rules, before it is uploaded and would refuse to serve. */
export const settings = checking('Variables', async (deployment) => {
  const { file, kept, remarks } = deployment
  const served = await servedSecrets(deployment)
  const given = { ...file.vars, ...kept.provided() }
  const reading = readEnv({ ...given, ...bound(deployment), ROOT_SECRET: 'A'.repeat(43) })
  // What the service has already is not known here, so problems with it are left to the service.
  const problems = (reading.ok ? [] : reading.problems).filter(
    (problem) => !served.some((name) => problem.includes(name)),
  )
  const twice = Object.keys(kept.provided()).filter((name) => name in file.vars)
  problems.push(...twice.map((name) => `${name} is in [vars] of wrangler.toml and in the file of secrets`))
  const hasEmail = 'RESEND_API_KEY' in given || served.includes('RESEND_API_KEY')
  if (hasEmail && EXAMPLE_NAME.test(String(file.vars.MAIL_DOMAIN)))
    problems.push('MAIL_DOMAIN in wrangler.toml is an example: put your sender domain there.')
  if (problems.length > 0)
    throw new DeployError(`${problems.join('. ')}.`, `Correct [vars] in wrangler.toml, or ${kept.path}.`)
  if (!hasEmail)
    remarks.push(
      `Email: nothing is sent before RESEND_API_KEY is there. Put the line RESEND_API_KEY=… into ${kept.path}, set MAIL_DOMAIN and PLATFORM_BRAND in wrangler.toml, and deploy again. Text messages need the TWILIO_ lines.`,
    )
  const names = [
    ...new Set([...Object.keys(kept.provided()), ...served.filter((name) => name !== 'ROOT_SECRET')]),
  ]
  return names.length === 0 ? 'good; no provider is configured' : `good, with ${names.sort().join(', ')}`
})

function bound({ file }: Deployment): Readonly<Record<string, unknown>> {
  const names = [
    ...[...file.d1_databases, ...file.r2_buckets, ...file.queues.producers].map(({ binding }) => binding),
    ...file.durable_objects.bindings.map(({ name }) => name),
  ]
  return Object.fromEntries(names.map((name) => [name, anyBinding]))
}

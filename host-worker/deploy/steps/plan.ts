import * as v from 'valibot'
import { Denied } from '../account.ts'
import { checking } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'

const Subscriptions = v.array(
  v.object({ rate_plan: v.optional(v.object({ id: v.optional(v.string(), '') })) }),
)

/** The plans of Workers that allow a request more than the 10 ms of CPU of the free one. */
const PAID = /workers.*(?:paid|bundled|standard|unbound|enterprise)|enterprise/i

const WHY = 'A form password takes 14 ms of CPU to check (PBKDF2), and the free plan allows 10 ms a request.'

/** Finds out whether the account has the paid plan of Workers, which not every login may read. */
export const plan = checking('Plan', async (deployment) => {
  const { account, options, remarks } = deployment
  if (account === null) return `the paid plan of Workers is needed. ${WHY}`
  const page = `https://dash.cloudflare.com/${account.id}/workers/plans`
  let found: unknown
  try {
    found = await account.get('subscriptions')
  } catch (error) {
    if (!(error instanceof Denied)) throw error
    remarks.push(`Look whether the account has the paid plan of Workers: ${page}. ${WHY}`)
    return 'not known: this login may not read what the account pays for'
  }
  const plans = v.parse(Subscriptions, found ?? []).map(({ rate_plan: rate }) => rate?.id ?? '')
  if (plans.some((id) => PAID.test(id))) return 'the paid plan of Workers'
  if (options.allowsFreePlan) {
    remarks.push(`Forms with a password do not work before the account has the paid plan: ${page}. ${WHY}`)
    return 'the free plan of Workers, as --free-plan allows'
  }
  throw new DeployError(
    `The account has no paid plan of Workers. ${WHY}`,
    `Choose it at ${page}, or give --free-plan to go on without forms that have a password.`,
  )
})

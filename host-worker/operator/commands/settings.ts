import { Refusal, UsageError } from '../client/errors.ts'

/**
 * Makes a call whose settings come from flags. When the service refuses a setting, throws a `UsageError` that names its
 * flag.
 * @param flags the flag of each setting, without the dashes
 */
export async function callWithFlags<Answer>(
  flags: Readonly<Record<string, string>>,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 400) throw error
    const [, setting = '', problem = ''] = /^(\w+): (.*?)\.?$/s.exec(error.message) ?? []
    const flag = Object.hasOwn(flags, setting) ? flags[setting] : undefined
    throw flag === undefined ? error : new UsageError(`--${flag} ${problem}`, { cause: error })
  }
}

import type { Values } from './command.ts'
import { requiredOption } from './command.ts'
import type { Context } from './context.ts'
import { organizationOf } from './context.ts'
import { UsageError } from './errors.ts'

/** The flags that choose an owner: an organization, or the operator. */
export const ownerOptions = { org: { type: 'string' }, platform: { type: 'boolean' } } as const

/** The organization that the flags name, which must exist, or null for the platform. */
export async function ownerOf(context: Context, values: Values): Promise<string | null> {
  const platform = values.platform === true
  if (platform && values.org !== undefined) throw new UsageError('--org and --platform exclude each other')
  if (platform) return null
  if (values.org === undefined) throw new UsageError('--org or --platform is missing')
  return (await organizationOf(context, requiredOption(values, 'org'))).organizationId
}

import * as v from 'valibot'
import type { PosSourceTie } from '../../ports/organization.ts'
import { isPosKind, posKinds, SOURCE_NAME, tenantIs } from '../pos/index.ts'

const TENANT_MAX_LENGTH = 200

/** `KIND:TENANT`, or `none`: the point of sale that serves an organization. */
export const PosSource = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value: text }, addIssue, NEVER }): PosSourceTie | null => {
    if (text === 'none') return null
    const [, kind = '', tenant = ''] = /^([^:]*):(.*)$/s.exec(text) ?? []
    if (!isPosKind(kind) || !isTenant(tenant)) {
      addIssue({ message: `must be none or KIND:TENANT, where KIND is one of ${posKinds.join(', ')}` })
      return NEVER
    }
    if (tenantIs[kind] === 'source' && !SOURCE_NAME.test(tenant)) {
      const allowed = 'up to 64 letters, digits, - and _, the first a letter or a digit'
      addIssue({ message: `${kind}: takes the name of a data source: ${allowed}` })
      return NEVER
    }
    return { kind, tenant }
  }),
)

function isTenant(text: string): boolean {
  return text !== '' && text === text.trim() && text.length <= TENANT_MAX_LENGTH && !/\p{Cc}/u.test(text)
}

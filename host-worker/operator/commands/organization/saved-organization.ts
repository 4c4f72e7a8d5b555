import type { saveOrganization } from '../../../../domain/operators/endpoints/organization/organizations.ts'
import { showOrganization } from '../../../../domain/operators/endpoints/organization/organizations.ts'
import { organizationFlags } from '../../../../domain/operators/organization-settings.ts'
import { NONE } from '../../../../domain/operators/organization.ts'
import { keysOf } from '../../../../domain/text/keys-of.ts'
import { Refusal } from '../../client/errors.ts'
import type { AnswerTo, OperatorService } from '../../client/service/operator-service.ts'

type Settings = AnswerTo<typeof saveOrganization>['body']

/** The settings of an organization, before it is saved; null: it does not exist yet, or does not answer. */
export async function settingsOf(organizationId: string, service: OperatorService): Promise<Settings | null> {
  try {
    const { body } = await service.call(showOrganization, { params: { organizationId } })
    return 'unanswered' in body ? null : body
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}

/** What a person is told of an organization that was saved: each setting that changed, as its flag names it. */
export function saved(organizationId: string, before: Settings | null, after: Settings): readonly string[] {
  if (before === null) return [`Created ${organizationId}.`]
  const changed = keysOf(organizationFlags).flatMap((setting) => {
    const [old, now] = [shown(before[setting]), shown(after[setting])]
    return old === now ? [] : [`  ${organizationFlags[setting].name}: ${old} → ${now}`]
  })
  if (changed.length === 0) return [`Nothing has changed: ${organizationId} is as it was.`]
  return [`Updated ${organizationId}.`, ...changed]
}

/** A setting, as its flag takes it. */
function shown(value: Settings[keyof typeof organizationFlags]): string {
  if (value === null) return NONE
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? `${value.kind}:${value.tenant}` : String(value)
}

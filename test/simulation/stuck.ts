import type { StoredPlaces } from './service/stored-places.ts'
import type { World } from './world.ts'

/** Breaks the database of some family for good. @returns its name; null: no family ever had one */
export function breakObject({ service, universe }: World): string | null {
  const { decide } = universe
  const used = service.objects.all().filter(({ stored }) => stored.lookAtAll('select 1').length > 0)
  const object = used[decide.below('object that stays broken', used.length)]
  if (object === undefined) return null
  object.broken = decide.pick('how it stays broken', ['fails', 'hangs'])
  return object.name
}

/** The organizations for which nothing can be done while a family's database is broken. */
export function stuckOrganizations(stored: StoredPlaces, object: string | null): ReadonlySet<string> {
  if (object === null) return new Set()
  const [familyId = ''] = object.split('.')
  const isLeft = stored
    .look("select family_id, source, target from moves where phase = 'switched' and family_id = ?", familyId)
    .some(({ source, target }) => [source, target].every((place) => String(place).includes('"own"')))
  const members = stored
    .look(
      'select organization_id from organizations where coalesce(parent_id, organization_id) = ?',
      familyId,
    )
    .map(({ organization_id: id }) => String(id))
  // The family's new place accepts no writes until the broken one is closed, because an isolate that remembers the
  // broken one could read outdated rows there.
  return new Set(
    stored.organizationIds().filter((id) => stored.homeOf(id) === object || (isLeft && members.includes(id))),
  )
}

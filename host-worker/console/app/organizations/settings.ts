import { fieldsOf } from '../operations/written.ts'
import { Failure, failureOf } from '../service/client.ts'
import type { CallOf } from '../service/operations.ts'
import type { ShownOrganization } from './organization.ts'

/** One whose database answered, so that its settings are known. */
export type KnownOrganization = Extract<ShownOrganization, { readonly name: string }>

/** The settings of an organization, in the order in which they are shown. */
export const settings = fieldsOf('organizations.save', 'body', [
  ...(['name', 'parentId', 'slug', 'smsNumber', 'phoneCountry', 'automationHourly'] as const),
  ...(['posSource', 'analytics', 'retentionOfferAnalytics', 'billingEvents'] as const),
])

/**
 * Makes a change of what is stored of an organization, unless somebody else was faster. Then the organization is read
 * again, so that what the person has not touched is shown as it is now, what was typed stays, and the failure says what
 * was changed there.
 * @param seen the organization as the person has seen it
 */
export async function replacing<Answer>(
  seen: ShownOrganization,
  reload: () => void,
  change: (replaces: ShownOrganization) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await change(seen)
  } catch (thrown) {
    const failure = failureOf(thrown)
    const current = failure.current as ShownOrganization | null | undefined
    if (current === undefined) throw failure
    reload()
    throw new Failure('refused', conflictText(seen, current), failure.status, current)
  }
}

const named = [...settings, { name: 'retention', label: 'Retention' }, { name: 'place', label: 'Place' }]

/** What a person is told when somebody else has changed an organization; null: there is none any more. */
function conflictText(seen: ShownOrganization, current: ShownOrganization | null): string {
  if (current === null) return 'This organization was deleted after you opened it, so nothing was saved.'
  const changed = named.flatMap(({ name, label }) => {
    const [before, now] = [textOf(seen, name), textOf(current, name)]
    return before === now ? [] : [`${label}: ${now}.`]
  })
  return [
    'Somebody else changed this organization after you opened it, so nothing was saved.',
    ...(changed.length === 0 ? [] : ['Now it has', ...changed]),
    'What you typed is still here, and everything else is shown as it is now. Look at it, then save again.',
  ].join(' ')
}

function textOf(organization: ShownOrganization, name: string): string {
  const value = (organization as Readonly<Record<string, unknown>>)[name] ?? null
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value)
  return Object.entries(value)
    .map(([key, of]) => `${key} ${of === null ? 'without an end' : String(of)}`)
    .join(', ')
}

type MoveSettings = NonNullable<CallOf<'moves.begin'>['body']>
type Region = NonNullable<MoveSettings['region']>
type Jurisdiction = NonNullable<MoveSettings['jurisdiction']>

/** The regions in words. The compiler checks that none is missing. */
export const regionTexts: Readonly<Record<Region, string>> = {
  weur: 'Western Europe',
  eeur: 'Eastern Europe',
  enam: 'Eastern North America',
  wnam: 'Western North America',
  sam: 'South America',
  apac: 'Asia and the Pacific',
  oc: 'Oceania',
  afr: 'Africa',
  me: 'Middle East',
}

/** The jurisdictions in words. */
export const jurisdictionTexts: Readonly<Record<Jurisdiction, string>> = {
  eu: 'European Union',
  us: 'United States',
  fedramp: 'FedRAMP',
}

/** Where a family's own database may be asked to be, for a choice. The empty one: anywhere. */
export const wheres = [
  { value: '', label: 'Anywhere' },
  ...Object.entries(regionTexts).map(([value, text]) => ({ value, label: `Near ${text}` })),
  ...Object.entries(jurisdictionTexts).map(([value, text]) => ({ value, label: `Bound to ${text}` })),
]

/** A chosen place as the operations take it. */
export function placeOf(place: string, where: string): MoveSettings {
  if (place !== 'own') return { place: 'shared' }
  if (where in regionTexts) return { place: 'own', region: where as Region }
  if (where in jurisdictionTexts) return { place: 'own', jurisdiction: where as Jurisdiction }
  return { place: 'own' }
}

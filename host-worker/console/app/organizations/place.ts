import type { BodyOf, CallOf } from '../service/operations.ts'

type MoveSettings = NonNullable<CallOf<'moves.begin'>['body']>
type Region = NonNullable<MoveSettings['region']>
type Jurisdiction = NonNullable<MoveSettings['jurisdiction']>
export type Move = BodyOf<'moves.show'>

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
  const region = (Object.keys(regionTexts) as Region[]).find((known) => known === where)
  const jurisdiction = (Object.keys(jurisdictionTexts) as Jurisdiction[]).find((known) => known === where)
  return {
    place: 'own',
    ...(region === undefined ? {} : { region }),
    ...(jurisdiction === undefined ? {} : { jurisdiction }),
  }
}

const phaseTexts: Readonly<Record<Move['phase'], string>> = {
  starting: 'It begins.',
  copying: 'Rows are copied, while it is served where it was.',
  switching: 'It switches: its writes wait for a moment.',
  switched: 'It lives in the new place. The old one is emptied.',
  emptying: 'It lives in the new place. The old one is emptied.',
  done: 'It is done.',
  aborting: 'It is given up.',
  aborted: 'It was given up.',
}

/** What a move is doing, in a sentence. */
export function phaseText({ phase }: Move): string {
  return phaseTexts[phase]
}

/** Whether a move can still be given up. */
export function isAbortable({ phase }: Move): boolean {
  return phase === 'starting' || phase === 'copying'
}

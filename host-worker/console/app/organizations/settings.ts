import type { BodyOf, CallOf, ItemOf } from '../service/operations.ts'

/** An organization with its place, as the operator interface shows it. */
export type ShownOrganization = BodyOf<'organizations.show'>

/** One whose database answered, so that its settings are known. */
export type KnownOrganization = Extract<ShownOrganization, { readonly name: string }>

type Organization = ItemOf<'organizations.list'>
/** What a save changes. What is left out stays. */
export type Changes = NonNullable<CallOf<'organizations.save'>['body']>
type PosKind = NonNullable<Organization['posSource']>['kind']

/** The settings as a person writes them: texts, of which an empty one means that there is none. */
export interface WrittenSettings {
  readonly name: string
  readonly slug: string
  readonly parentId: string
  readonly smsNumber: string
  readonly phoneCountry: string
  readonly automationHourly: string
  readonly posKind: string
  readonly posTenant: string
  readonly analytics: boolean
  readonly retentionOfferAnalytics: boolean
  readonly billingEvents: boolean
}

/** The kinds of points of sale in words. The compiler checks that none is missing. */
export const posKindTexts: Readonly<Record<PosKind, string>> = {
  legacy_vendor: 'Legacy vendor',
  odbc_shared: 'ODBC, a source that several share',
  odbc_second: 'ODBC, a source of its own',
}

/** What the console calls each setting. */
export const settingLabels = {
  name: 'Name',
  parentId: 'Parent',
  slug: 'Sender of email',
  smsNumber: 'Sender of text messages',
  phoneCountry: 'Country of phone numbers',
  automationHourly: 'Messages of automations an hour',
  posSource: 'Point of sale',
  analytics: 'It may use the analytics',
  retentionOfferAnalytics: 'It may use the analytics of retention offers',
  billingEvents: 'Its provider reports what it bills',
} as const satisfies Readonly<Record<Exclude<keyof Organization, 'organizationId'>, string>>

/** The settings of an organization as a person writes them. */
export function writtenOf(organization: Organization): WrittenSettings {
  const { name, slug, parentId, smsNumber, phoneCountry, automationHourly, posSource } = organization
  const { analytics, retentionOfferAnalytics, billingEvents } = organization
  return {
    ...{ name, phoneCountry, analytics, retentionOfferAnalytics, billingEvents },
    slug: slug ?? '',
    parentId: parentId ?? '',
    smsNumber: smsNumber ?? '',
    automationHourly: String(automationHourly),
    posKind: posSource?.kind ?? '',
    posTenant: posSource?.tenant ?? '',
  }
}

/** What a save must send: the settings that were written differently, so that nothing else is overwritten. */
export function changesOf(written: WrittenSettings, before: WrittenSettings): Changes {
  const stored = new Map(Object.entries(settingsOf(before)))
  const changed = Object.entries(settingsOf(written)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(stored.get(name)),
  )
  return Object.fromEntries(changed)
}

function settingsOf(written: WrittenSettings): Changes {
  const { name, slug, parentId, smsNumber, phoneCountry, automationHourly } = written
  const { analytics, retentionOfferAnalytics, billingEvents } = written
  return {
    ...{ name, phoneCountry: phoneCountry.trim(), analytics, retentionOfferAnalytics, billingEvents },
    ...{ slug: textOf(slug), parentId: textOf(parentId), smsNumber: textOf(smsNumber) },
    automationHourly: Number(automationHourly),
    posSource: posSourceOf(written),
  }
}

function textOf(written: string): string | null {
  return written.trim() === '' ? null : written.trim()
}

function posSourceOf({ posKind, posTenant }: WrittenSettings): Organization['posSource'] {
  const kind = (Object.keys(posKindTexts) as PosKind[]).find((known) => known === posKind)
  return kind === undefined ? null : { kind, tenant: posTenant.trim() }
}

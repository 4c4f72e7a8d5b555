import * as v from 'valibot'
import { OrganizationChanges, OrganizationId } from '../../../domain/operators/organization.ts'
import { PlaceSettings } from '../../../domain/operators/place-settings.ts'
import { UsageError } from '../client/errors.ts'
import type { Values } from '../command/command.ts'
import { textOf } from '../command/arguments.ts'

/** The flag for each setting. */
export const settingFlags: Readonly<Record<keyof OrganizationChanges | (typeof placeFlags)[number], string>> =
  {
    name: 'name',
    slug: 'slug',
    parentId: 'parent',
    smsNumber: 'sms-number',
    phoneCountry: 'phone-country',
    posSource: 'pos-source',
    billingEvents: 'billing-events',
    analytics: 'analytics',
    retentionOfferAnalytics: 'retention-offer-analytics',
    automationHourly: 'automation-hourly',
    place: 'place',
    region: 'region',
    jurisdiction: 'jurisdiction',
  }

/** The settings in the flags. Throws a `UsageError` that names the first wrong flag. */
export function changesOf(values: Values): OrganizationChanges {
  const given = Object.entries(settingFlags).flatMap(([setting, flag]) => {
    const text = textOf(values, flag)
    return text === undefined ? [] : [[setting, text] as const]
  })
  const reading = v.safeParse(OrganizationChanges, Object.fromEntries(given))
  if (reading.success) return reading.output
  const [{ path, message }] = reading.issues
  throw new UsageError(`--${settingFlags[path?.[0].key as keyof OrganizationChanges]} ${message}`)
}

/**
 * The place for a family in the flags. The service checks whether it is possible. Throws a `UsageError` that names the
 * first wrong flag.
 */
export function placeOf(values: Values): v.InferOutput<typeof PlaceSettings> {
  const given = placeFlags.flatMap((flag) => {
    const text = textOf(values, flag)
    return text === undefined ? [] : [[flag, text] as const]
  })
  const reading = v.safeParse(PlaceSettings, Object.fromEntries(given))
  if (reading.success) return reading.output
  const [{ path, message }] = reading.issues
  throw new UsageError(`--${String(path?.[0].key)} ${message}`)
}

const placeFlags = ['place', 'region', 'jurisdiction'] as const

/** The id of the organization in `--id`. Throws a `UsageError`. */
export function organizationIdOf(values: Values): string {
  const reading = v.safeParse(OrganizationId, textOf(values, 'id'))
  if (reading.success) return reading.output
  throw new UsageError(`--id ${reading.issues[0].message}`)
}

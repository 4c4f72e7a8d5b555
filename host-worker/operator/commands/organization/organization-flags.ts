import * as v from 'valibot'
import { OrganizationId } from '../../../../domain/operators/organization.ts'
import { OrganizationChanges, organizationFlags } from '../../../../domain/operators/organization-settings.ts'
import { jurisdictions, regions } from '../../../../domain/placement/operators/choices.ts'
import { PlaceSettings } from '../../../../domain/operators/place-settings.ts'
import { UsageError } from '../../client/errors.ts'
import type { Values } from '../../command/command.ts'
import { textOf } from '../../command/arguments.ts'
import { choice } from '../../command/command.ts'

/** The flags that say where in the world a family's own database is. */
export const lawFlags = {
  region: choice('REGION', regions),
  jurisdiction: choice('LAW', jurisdictions),
} as const

const placeFlags = ['place', 'region', 'jurisdiction'] as const

/** The name of the flag of each setting, and of each word about the place. */
export const settingFlags: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(organizationFlags).map(([setting, { name }]) => [setting, name])),
  ...Object.fromEntries(placeFlags.map((flag) => [flag, flag])),
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
  throw new UsageError(`--${organizationFlags[path?.[0].key as keyof OrganizationChanges].name} ${message}`)
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

/** The id of the organization in `--id`. Throws a `UsageError`. */
export function organizationIdOf(values: Values): string {
  const reading = v.safeParse(OrganizationId, textOf(values, 'id'))
  if (reading.success) return reading.output
  throw new UsageError(`--id ${reading.issues[0].message}`)
}

import * as v from 'valibot'
import { OrganizationId } from '../../../domain/organizations/settings.ts'
import { PlaceSettings } from '../../../domain/operators/places.ts'
import type { FlagValues } from '../../../domain/record/command.ts'
import { UsageError } from '../client/call-service.ts'
import { textOf } from '../command.ts'

const placeFlags = ['place', 'region', 'jurisdiction'] as const

/**
 * The place for a family in the flags. The service checks whether it is possible. Throws a `UsageError` that names the
 * first wrong flag.
 */
export function placeOf(values: FlagValues): v.InferOutput<typeof PlaceSettings> {
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
export function organizationIdOf(values: FlagValues): string {
  const reading = v.safeParse(OrganizationId, textOf(values, 'id'))
  if (reading.success) return reading.output
  throw new UsageError(`--id ${reading.issues[0].message}`)
}

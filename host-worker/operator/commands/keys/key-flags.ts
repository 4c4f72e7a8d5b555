import * as v from 'valibot'
import { keySettings, KeySettings, Overlap } from '../../../../domain/operators/key-settings.ts'
import { UsageError } from '../../client/errors.ts'
import type { Values } from '../../command/command.ts'
import { textOf } from '../../command/arguments.ts'

/** The flag for each setting. */
export const settingFlags: Readonly<Record<keyof KeySettings, string>> = {
  label: keySettings.label.flag.name,
  scope: keySettings.scope.flag.name,
  expiresAt: keySettings.expiresAt.flag.name,
  ratePerMinute: keySettings.ratePerMinute.flag.name,
}

/** The settings of a key that the flags name. Throws a `UsageError` that names the first wrong flag. */
export function keySettingsOf(values: Values): KeySettings {
  const given = Object.entries(keySettings).flatMap(([setting, { flag }]) => {
    const text = textOf(values, flag.name)
    return text === undefined ? [] : [[setting, flag.read(text)] as const]
  })
  const reading = v.safeParse(KeySettings, Object.fromEntries(given))
  if (reading.success) return reading.output
  const [{ path, message }] = reading.issues
  throw new UsageError(`--${settingFlags[path?.[0].key as keyof KeySettings]} ${message}`)
}

/** The overlap of a rotation, as the flag's text. Throws a `UsageError`. */
export function overlapOf(values: Values): string {
  const given = textOf(values, 'overlap') ?? ''
  const reading = v.safeParse(Overlap, given)
  if (reading.success) return given
  throw new UsageError(`--overlap ${reading.issues[0].message}`)
}

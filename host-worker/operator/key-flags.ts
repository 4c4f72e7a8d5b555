import * as v from 'valibot'
import type { RefusedSetting } from '../../domain/operators/issue-checked-key.ts'
import { KeySettings, Overlap } from '../../domain/operators/key-settings.ts'
import type { Values } from './command.ts'
import { requiredOption, textOption } from './command.ts'
import { UsageError } from './errors.ts'

/** The flag of each setting. */
const flags: Readonly<Record<keyof KeySettings, string>> = {
  label: 'label',
  scope: 'scope',
  expiresAt: 'expires',
  ratePerMinute: 'rate',
}

/** The settings of a key that the flags name. Throws a `UsageError` that names the first wrong flag. */
export function keySettingsOf(values: Values): KeySettings {
  const given = Object.entries(flags).flatMap(([setting, flag]) => {
    const text = textOption(values, flag)
    if (text === undefined) return []
    return [[setting, setting === 'ratePerMinute' ? numberOf(text) : text] as const]
  })
  const reading = v.safeParse(KeySettings, Object.fromEntries(given))
  if (reading.success) return reading.output
  const [{ path, message }] = reading.issues
  throw new UsageError(`--${flags[path?.[0].key as keyof KeySettings]} ${message}`)
}

/** The overlap of a rotation, in ms. Throws a `UsageError`. */
export function overlapMsOf(values: Values): number {
  const reading = v.safeParse(Overlap, requiredOption(values, 'overlap'))
  if (reading.success) return reading.output
  throw new UsageError(`--overlap ${reading.issues[0].message}`)
}

/** A setting that is refused, as an error that names its flag. */
export function refusedFlag({ setting, problem }: RefusedSetting): UsageError {
  return new UsageError(`--${flags[setting]} ${problem}`)
}

/** A whole number in decimal digits. Any other text is NaN, which no setting accepts. */
function numberOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}

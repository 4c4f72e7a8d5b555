import type { JsonObject } from './values/drawn.ts'
import { Difference } from './difference.ts'
import type { Model } from './model/model-row.ts'
import type { Place } from './places.ts'

/** One organization in a place, and what was imported into it. */
export interface Setting {
  readonly model: Model
  readonly place: Place
  readonly key: string
  readonly random: () => number
  readonly counts: { answers: number; answeredRows: number }
}

/** The body of an answer, which must be a success. */
export async function answerTo(path: string, { place, key, counts }: Setting): Promise<string> {
  const response = await place.get(path, key)
  const text = await response.text()
  counts.answers += 1
  if (response.status !== 200) throw new Difference(`${path} answered ${response.status}: ${text}`)
  return text
}

/** The parts of a list's answer that are read. */
export interface Page {
  readonly data: readonly JsonObject[]
  readonly pagination: { readonly nextCursor: string | null }
}

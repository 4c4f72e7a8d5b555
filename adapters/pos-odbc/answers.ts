import * as v from 'valibot'
import { Instant } from '../../domain/record/field.ts'
import type { StoredRow } from '../../ports/records.ts'
import { COLLECTIONS, type CollectionName } from './collections.ts'
import type { SourcePosition } from './protocol.ts'

const Position = v.strictObject({ value: v.nullable(Instant), id: v.string() })

/**
 * The row of a collection as the gateway sends it. Other fields mean that the Worker and the gateway have different
 * versions. The values are checked where the row is published, as those of every source are.
 */
function rowOf(collection: CollectionName): v.GenericSchema<StoredRow> {
  const names = Object.keys(COLLECTIONS[collection].resource.fields)
  return v.custom<StoredRow>(
    (given) =>
      typeof given === 'object' &&
      given !== null &&
      Object.keys(given).length === names.length &&
      names.every((name) => Object.hasOwn(given, name)),
  )
}

/** A page as the gateway answered it; null when it is anything else. `limit` is the most rows that were asked for. */
export function parsePage(
  collection: CollectionName,
  body: unknown,
  limit: number,
): { readonly rows: readonly StoredRow[]; readonly next: SourcePosition | null } | null {
  const schema = v.strictObject({
    rows: v.pipe(v.array(rowOf(collection)), v.maxLength(limit)),
    next: v.nullable(Position),
  })
  return outputOf(schema, body)
}

/** One row or its absence as the gateway answered it; null when it is anything else. */
export function parseOne(
  collection: CollectionName,
  body: unknown,
): { readonly row: StoredRow | null } | null {
  return outputOf(v.strictObject({ row: v.nullable(rowOf(collection)) }), body)
}

const Failure = v.object({ error: v.object({ code: v.pipe(v.string(), v.regex(/^[a-z_]{1,40}$/)) }) })

/** The code of an error as the gateway answered it; null when it is anything else. */
export function parseErrorCode(body: unknown): string | null {
  return outputOf(Failure, body)?.error.code ?? null
}

function outputOf<Output>(schema: v.GenericSchema<unknown, Output>, body: unknown): Output | null {
  const parsed = v.safeParse(schema, body)
  return parsed.success ? parsed.output : null
}

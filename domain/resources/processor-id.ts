import * as v from 'valibot'
import type { Field } from '../record/field.ts'

/** Longest id of a payment processor: the public id made from it then stays within the limit of an identifier. */
const PROCESSOR_ID = /^[!-~]{1,128}$/

const ProcessorId = v.pipe(
  v.string('must be text'),
  v.regex(PROCESSOR_ID, 'must be 1 to 128 printable ASCII characters without spaces'),
)

/** The payment processor's own id of a purchase. Messages about an invalid one never quote it. */
export function processorId(): Field<string> {
  return { storage: 'text', nullable: false, schema: ProcessorId, input: () => ProcessorId }
}

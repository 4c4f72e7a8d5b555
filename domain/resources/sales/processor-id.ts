import * as v from 'valibot'
import type { Field } from '../../record/field.ts'

/**
 * The maximum length of a payment processor's id. With it, the public id made from the id stays within the limit of an
 * identifier.
 */
const PROCESSOR_ID_MAX_LENGTH = 128
const PROCESSOR_ID = new RegExp(`^[!-~]{1,${PROCESSOR_ID_MAX_LENGTH}}$`)

const ProcessorId = v.pipe(
  v.string('must be text'),
  v.regex(PROCESSOR_ID, `must be 1 to ${PROCESSOR_ID_MAX_LENGTH} printable ASCII characters without spaces`),
)

/** The payment processor's own id of a purchase. Messages about an invalid one never quote it. */
export function processorId(): Field<string> {
  return { storage: 'text', nullable: false, personal: 'no', schema: ProcessorId, input: () => ProcessorId }
}

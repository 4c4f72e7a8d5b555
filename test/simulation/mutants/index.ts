import type { Mutant } from '../service/universe.ts'
import { messagingMutants } from './messaging.ts'
import { movingMutants } from './moving.ts'
import { outboxMutants } from './outbox.ts'
import { readingMutants } from './reading.ts'
import { submissionMutants } from './submission.ts'

/**
 * Mistakes that somebody could make, each planted from outside: by wrapping a port or replacing a statement. A simulation that
 * does not find one of them would not find its like in the product.
 */
export const mutants: readonly Mutant[] = [
  ...submissionMutants,
  ...outboxMutants,
  ...readingMutants,
  ...messagingMutants,
  ...movingMutants,
]

import type { Mutant } from '../service/universe.ts'
import { messagingMutants } from './messaging.ts'
import { movingMutants } from './moving.ts'
import { outboxMutants } from './outbox.ts'
import { readingMutants } from './reading.ts'
import { submissionMutants } from './submission.ts'

/**
 * Plausible mistakes, each planted from outside by wrapping a port or replacing a statement. If the simulation does not
 * find one of them, it would not find a similar mistake in the product either.
 */
export const mutants: readonly Mutant[] = [
  ...submissionMutants,
  ...outboxMutants,
  ...readingMutants,
  ...messagingMutants,
  ...movingMutants,
]

import { resources } from '../../../domain/resources/index.ts'
import { accountIndexes, accountTables } from './account-tables.ts'
import { indexesByHand } from './by-hand.ts'
import { removalTriggers } from './triggers/removal-triggers.ts'
import { resourceIndexes } from './resource-indexes.ts'
import { tableShape } from './resource-tables.ts'
import type { Schema } from './shape.ts'
import { tallies } from './triggers/tallies.ts'
import { tallyTriggers } from './triggers/tally-triggers.ts'

/** The schema that the records require, with the indexes that other statements need. */
export function expectedSchema(): Schema {
  const byHand = indexesByHand.map(([index]) => index)
  return {
    tables: [...accountTables, ...resources.map(tableShape)],
    indexes: [...accountIndexes, ...resourceIndexes(byHand), ...byHand],
    triggers: [...tallies().flatMap(tallyTriggers), ...resources.flatMap(removalTriggers)],
  }
}

import { relayed } from '../../../domain/relay/relayed.ts'
import { createMeter } from '../../sqlite/statement/executor.ts'
import type { ObjectExecutorOptions } from './executor.ts'
import { createObjectCall } from './object-call.ts'
import type { FamilyObject } from '../protocol.ts'

/** The methods by which a family's object is created, moved and emptied. */
export type FamilyControl = Omit<FamilyObject, 'batch' | 'advance'>

/** Opens the control of an object. No I/O. Every method is safe to repeat, so each is retried as reads are. */
export function createControl({
  meter = createMeter(),
  ...options
}: Omit<ObjectExecutorOptions, 'isMove'>): FamilyControl {
  const call = createObjectCall({ ...options, meter })
  return relayed<FamilyControl>((ask) => call(ask, true))
}

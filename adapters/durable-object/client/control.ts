import { createMeter } from '../../sqlite/statement/meter.ts'
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
  return {
    create: (familyId) => call((object) => object.create(familyId), true),
    begin: (familyId) => call((object) => object.begin(familyId), true),
    finish: (token) => call((object) => object.finish(token), true),
    reopen: (token) => call((object) => object.reopen(token), true),
    open: (token) => call((object) => object.open(token), true),
    pause: (token, untilMs) => call((object) => object.pause(token, untilMs), true),
    resume: (token) => call((object) => object.resume(token), true),
    seal: (token) => call((object) => object.seal(token), true),
    close: () => call((object) => object.close(), true),
    empty: () => call((object) => object.empty(), true),
    remove: () => call((object) => object.remove(), true),
    size: () => call((object) => object.size(), true),
  }
}

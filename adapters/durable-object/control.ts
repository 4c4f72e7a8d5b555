import { createMeter } from '../sqlite/statement/meter.ts'
import type { ExecutorOptions } from './executor.ts'
import { createObjectCall } from './object-call.ts'
import type { FamilyObject } from './protocol.ts'

/** The states of a family's object, as who places and moves families changes them. */
export type FamilyControl = Omit<FamilyObject, 'batch'>

/** Opens the control of an object. No I/O. Every method may be repeated, so each is tried again as a read is. */
export function createControl({
  meter = createMeter(),
  ...options
}: Omit<ExecutorOptions, 'isMove'>): FamilyControl {
  const call = createObjectCall({ ...options, meter })
  return {
    create: (familyId) => call((object) => object.create(familyId), true),
    beginFilling: (familyId) => call((object) => object.beginFilling(familyId), true),
    openFilled: () => call((object) => object.openFilled(), true),
    pause: (token, untilMs) => call((object) => object.pause(token, untilMs), true),
    resume: (token) => call((object) => object.resume(token), true),
    seal: (token) => call((object) => object.seal(token), true),
    unseal: (token) => call((object) => object.unseal(token), true),
    close: () => call((object) => object.close(), true),
    empty: () => call((object) => object.empty(), true),
    size: () => call((object) => object.size(), true),
  }
}

import { expect, test } from 'vitest'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { createControl, type FamilyControl, createObjectMovePlace } from './control.ts'
import type { FamilyNamespace } from './executor.ts'
import type { FamilyObject } from '../protocol.ts'
import { namespaceOf, openScratchFamily } from '../../../test/support/scratch/scratch-family.ts'
import { openedImage } from '../../../test/support/scratch/scratch-object.ts'

const place = { kind: 'own', familyId: 'family', generation: 1, region: null, jurisdiction: null } as const

/** Objects of which each fails at its first call, after the call has taken effect. */
function forgetfulObjects(): { readonly namespace: FamilyNamespace; readonly calls: unknown[] } {
  const calls: unknown[] = []
  const object = new Proxy({} as FamilyObject, {
    get:
      (_target, method) =>
      async (...given: readonly unknown[]) => {
        calls.push([method, ...given])
        if (calls.length === 1) throw Object.assign(new Error('The answer is lost'), { retryable: true })
        return 'answer'
      },
  })
  const namespace: FamilyNamespace = {
    idFromName: (name) => ({ name }),
    get: () => object,
    jurisdiction: () => namespace,
  }
  return { namespace, calls }
}

const asked: { readonly [Method in keyof FamilyControl]: Parameters<FamilyControl[Method]> } = {
  create: ['acme'],
  begin: ['acme'],
  finish: ['token'],
  reopen: ['token'],
  open: ['token'],
  pause: ['token', 5],
  resume: ['token'],
  seal: ['token'],
  close: [],
  empty: [],
  remove: [],
  size: [],
}

test.each(Object.entries(asked))('%s is asked again when its answer was lost', async (method, given) => {
  const { namespace, calls } = forgetfulObjects()
  const control = createControl({ namespace, place, clock: fakeClock() })
  const call = control[method as keyof FamilyControl] as (...given: readonly unknown[]) => Promise<unknown>
  expect(await call(...given)).toBe('answer')
  expect(calls).toEqual([
    [method, ...given],
    [method, ...given],
  ])
})

test('an attempt to switch that is given up lets writes in at once, whether paused or sealed', async () => {
  const clock = fakeClock()
  const family = openScratchFamily({ clock, image: openedImage() })
  const source = createObjectMovePlace({ namespace: namespaceOf(() => family.object()), place, clock })
  const write = () => family.object().batch('write', [{ sql: 'delete from sites', parameters: [] }])
  for (const isSealed of [false, true]) {
    await source.pause('journal', 'token', clock.nowMs() + 60_000)
    if (isSealed) expect(await source.seal('journal', 'token')).toBe(true)
    // Whoever a sealed object has not been named to by the directory is sent there.
    expect(await write()).toEqual(isSealed ? { elsewhere: true } : { paused: true })
    await source.resume('token')
    expect(await write()).toHaveProperty('results')
  }
})

test('a target that is filled again stays so, whatever arrives late of the attempt that was given back', async () => {
  const clock = fakeClock()
  const family = openScratchFamily({ clock })
  // The last call of a mover that fell behind arrives as soon as the object is filled again.
  const withLateCall = (): FamilyObject =>
    new Proxy(family.object(), {
      get: (object, name) => {
        if (name !== 'reopen') return object[name as keyof FamilyObject].bind(object)
        return async (token: string) => {
          const isReopened = await object.reopen(token)
          await object.finish(token)
          return isReopened
        }
      },
    })
  const target = createObjectMovePlace({ namespace: namespaceOf(withLateCall), place, clock })
  await target.begin('move', 'one')
  expect(await target.finish('move', 'another', 'token')).toBe(false)
  expect(await target.finish('move', 'one', 'token')).toBe(true)
  await target.reopen('move', 'token')
  // An object of which filling was ended refuses to begin.
  expect(await family.object().begin('family')).toBe(true)
  expect(await target.finish('move', 'one', 'next')).toBe(false)
  await target.begin('move', 'one')
  expect(await target.finish('move', 'one', 'next')).toBe(true)
})

import { expect, test } from 'vitest'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { createControl, type FamilyControl } from './control.ts'
import type { FamilyNamespace } from './executor.ts'
import type { FamilyObject } from '../protocol.ts'

const PLACE = { kind: 'own', familyId: 'acme', generation: 1, region: null, jurisdiction: null } as const

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
  const control = createControl({ namespace, place: PLACE, clock: fakeClock() })
  const call = control[method as keyof FamilyControl] as (...given: readonly unknown[]) => Promise<unknown>
  expect(await call(...given)).toBe('answer')
  expect(calls).toEqual([
    [method, ...given],
    [method, ...given],
  ])
})

import { expect, test } from 'vitest'
import type { State } from './states.ts'
import { admissionOf, transitions } from './states.ts'

const states = {
  empty: { name: 'empty' },
  filling: { name: 'filling', familyId: 'f' },
  open: { name: 'open', familyId: 'f' },
  paused: { name: 'paused', familyId: 'f', token: 't', untilMs: 1000 },
  sealed: { name: 'sealed', familyId: 'f', token: 't' },
  closed: { name: 'closed', familyId: 'f' },
} as const satisfies Readonly<Record<string, State>>

const names = Object.keys(states) as (keyof typeof states)[]

const modes = ['read', 'write', 'move'] as const
const admissions = [
  ['empty', 'elsewhere', 'elsewhere', 'elsewhere'],
  ['filling', 'elsewhere', 'elsewhere', 'runs'],
  ['open', 'runs', 'runs', 'runs'],
  ['paused', 'runs', 'paused', 'runs'],
  ['sealed', 'runs', 'paused', 'runs'],
  ['closed', 'elsewhere', 'elsewhere', 'elsewhere'],
] as const

test.each(admissions)('%s: reads %s, writes %s, a move %s', (name, ...expected) => {
  expect(modes.map((mode) => admissionOf(states[name], mode, 999, true))).toEqual(expected)
})

test.each(admissions)('%s, for who only remembers it: the same, unless it is sealed', (name, ...expected) => {
  const found = modes.map((mode) => admissionOf(states[name], mode, 999, false))
  expect(found).toEqual(name === 'sealed' ? ['elsewhere', 'elsewhere', 'runs'] : expected)
})

test('a write ends a pause that has run out; nothing else does', () => {
  expect(admissionOf(states.paused, 'write', 1000, false)).toBe('ends_pause')
  expect(admissionOf(states.paused, 'read', 1000, false)).toBe('runs')
  expect(admissionOf(states.paused, 'move', 1000, false)).toBe('runs')
  expect(admissionOf(states.sealed, 'write', Number.MAX_SAFE_INTEGER, true)).toBe('paused')
})

/** The state that each method leads to, from each state that it accepts. */
const arrows: Readonly<
  Record<string, readonly [(state: State) => State | null, Readonly<Record<string, string>>]>
> = {
  create: [(state) => transitions.create(state, 'f'), { empty: 'open', open: 'open' }],
  beginFilling: [(state) => transitions.beginFilling(state, 'f'), { empty: 'filling', filling: 'filling' }],
  openFilled: [transitions.openFilled, { filling: 'open', open: 'open' }],
  pause: [(state) => transitions.pause(state, 't', 2000), { open: 'paused', paused: 'paused' }],
  resume: [(state) => transitions.resume(state, 't'), { open: 'open', paused: 'open' }],
  seal: [(state) => transitions.seal(state, 't'), { paused: 'sealed', sealed: 'sealed' }],
  unseal: [(state) => transitions.unseal(state, 't'), { open: 'open', sealed: 'open' }],
  close: [transitions.close, { sealed: 'closed', closed: 'closed' }],
  empty: [transitions.empty, { empty: 'empty', filling: 'empty', closed: 'empty' }],
}

test.each(Object.keys(arrows))('%s leads where the table says, and nowhere else', (method) => {
  const [arrow, leads] = arrows[method] ?? [() => null, {}]
  const found = names.flatMap((name) => {
    const next = arrow(states[name])
    return next === null ? [] : [[name, next.name]]
  })
  expect(Object.fromEntries(found)).toEqual(leads)
})

test('another token, or another family, leads nowhere', () => {
  expect(transitions.resume(states.paused, 'other')).toBeNull()
  expect(transitions.seal(states.paused, 'other')).toBeNull()
  expect(transitions.seal(states.sealed, 'other')).toBeNull()
  expect(transitions.unseal(states.sealed, 'other')).toBeNull()
  expect(transitions.create(states.open, 'other')).toBeNull()
  expect(transitions.beginFilling(states.filling, 'other')).toBeNull()
})

test('the same token moves the end of its pause', () => {
  expect(transitions.pause(states.paused, 't', 2000)).toEqual({ ...states.paused, untilMs: 2000 })
})

test('a new pause takes the place of one that its mover left behind, whose token seals nothing any more', () => {
  const renewed = transitions.pause(states.paused, 'new', 2000)
  expect(renewed).toEqual({ ...states.paused, token: 'new', untilMs: 2000 })
  expect(renewed === null ? null : transitions.seal(renewed, 't')).toBeNull()
})

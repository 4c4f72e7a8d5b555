import { expect, test } from 'vitest'
import {
  PLACE_METHODS,
  PLACE_STATES,
  type PlaceMethod,
  type PlaceState,
} from '../../../domain/placement/move/place-states.ts'
import { admissionOf, transition, type State } from './states.ts'

const states: { readonly [Name in PlaceState]: State & { readonly name: Name } } = {
  empty: { name: 'empty' },
  filling: { name: 'filling', familyId: 'f' },
  finished: { name: 'finished', familyId: 'f', token: 't' },
  open: { name: 'open', familyId: 'f' },
  paused: { name: 'paused', familyId: 'f', token: 't', untilMs: 1000 },
  sealed: { name: 'sealed', familyId: 'f', token: 't' },
  closed: { name: 'closed', familyId: 'f' },
}
const names = Object.keys(PLACE_STATES) as PlaceState[]
const given = { familyId: 'f', token: 't', untilMs: 2000 }

const modes = ['read', 'write', 'move'] as const
/** What happens to each mode, for callers to whom the directory has named the object; then for those who remember it. */
const admissions = [
  ['empty', 'elsewhere elsewhere elsewhere', 'elsewhere elsewhere elsewhere'],
  ['filling', 'elsewhere elsewhere runs', 'elsewhere elsewhere runs'],
  ['finished', 'runs paused runs', 'elsewhere elsewhere runs'],
  ['open', 'runs runs runs', 'runs runs runs'],
  ['paused', 'runs paused runs', 'runs paused runs'],
  ['sealed', 'runs paused runs', 'elsewhere elsewhere runs'],
  ['closed', 'elsewhere elsewhere runs', 'elsewhere elsewhere runs'],
] as const

test.each(admissions)('%s: read, write, move: %s; for who only remembers it: %s', (name, ...expected) => {
  const found = [true, false].map((isConfirmed) =>
    modes.map((mode) => admissionOf(states[name], mode, 999, isConfirmed)).join(' '),
  )
  expect(found).toEqual(expected)
})

test('a write ends a pause that has run out; nothing else does', () => {
  expect(admissionOf(states.paused, 'write', 1000, false)).toBe('ends_pause')
  expect(admissionOf(states.paused, 'read', 1000, false)).toBe('runs')
  expect(admissionOf(states.paused, 'move', 1000, false)).toBe('runs')
  expect(admissionOf(states.sealed, 'write', Number.MAX_SAFE_INTEGER, true)).toBe('paused')
})

test.each(Object.keys(PLACE_METHODS) as PlaceMethod[])(
  '%s leads where the table says, and nowhere else',
  (method) => {
    const found = names.flatMap((name) => {
      const next = transition(method, states[name], given)
      return next === null ? [] : [[name, next.name]]
    })
    expect(Object.fromEntries(found)).toEqual(PLACE_METHODS[method])
  },
)

test('what a state holds comes from the method that made it', () => {
  expect(transition('begin', states.empty, given)).toEqual(states.filling)
  expect(transition('finish', states.filling, given)).toEqual(states.finished)
  expect(transition('open', states.finished, given)).toEqual(states.open)
  expect(transition('pause', states.open, { token: 't', untilMs: 1000 })).toEqual(states.paused)
  expect(transition('seal', states.paused, given)).toEqual(states.sealed)
  expect(transition('close', states.sealed)).toEqual(states.closed)
  expect(transition('empty', states.closed)).toEqual(states.empty)
})

test('another token, or another family, leads nowhere', () => {
  const other = { token: 'other' }
  for (const [method, name] of [
    ['resume', 'paused'],
    ['resume', 'sealed'],
    ['seal', 'paused'],
    ['seal', 'sealed'],
    ['reopen', 'finished'],
    ['open', 'finished'],
  ] as const)
    expect([method, name, transition(method, states[name], other)]).toEqual([method, name, null])
  expect(transition('create', states.open, { familyId: 'other' })).toBeNull()
  expect(transition('begin', states.filling, { familyId: 'other' })).toBeNull()
})

test('the same token moves the end of its pause', () => {
  expect(transition('pause', states.paused, given)).toEqual({ ...states.paused, untilMs: 2000 })
})

test('a new pause takes the place of one that its mover left behind, whose token seals nothing any more', () => {
  const renewed = transition('pause', states.paused, { token: 'new', untilMs: 2000 })
  expect(renewed).toEqual({ ...states.paused, token: 'new', untilMs: 2000 })
  expect(renewed === null ? null : transition('seal', renewed, given)).toBeNull()
})

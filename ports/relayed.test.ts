import { expect, test } from 'vitest'
import { relayed } from './relayed.ts'

interface Counter {
  add(first: number, second?: number): Promise<number>
  reset(): Promise<void>
}

/** A counter that is opened anew for each call. */
function openedCounter() {
  const asked: unknown[][] = []
  let opened = 0
  const open = (): Counter => {
    opened += 1
    return {
      async add(...given) {
        asked.push(given)
        return given.length
      },
      reset: () => Promise.reject(new Error('Not today')),
    }
  }
  return { open, asked, opened: () => opened }
}

test('passes each call on, with what was given, and its answer back', async () => {
  const { open, asked, opened } = openedCounter()
  const counter = relayed<Counter>((ask) => ask(open()))
  expect(opened()).toBe(0)
  expect(await counter.add(1)).toBe(1)
  expect(await counter.add(1, 2)).toBe(2)
  await expect(counter.reset()).rejects.toThrow('Not today')
  expect(asked).toEqual([[1], [1, 2]])
  expect(opened()).toBe(3)
})

test('does itself what it is given', async () => {
  const { open, asked } = openedCounter()
  const relay = <Answer>(ask: (port: Counter) => Promise<Answer>) => ask(open())
  const counter = relayed(relay, { add: async (first) => (await relay((port) => port.add(first))) + 10 })
  expect(await counter.add(5, 6)).toBe(11)
  expect(asked).toEqual([[5]])
  await expect(counter.reset()).rejects.toThrow('Not today')
})

test('is not taken for a promise when an async function returns it', async () => {
  const { open, asked } = openedCounter()
  const counter = await Promise.resolve(relayed<Counter>((ask) => ask(open())))
  expect(await counter.add(1)).toBe(1)
  expect(asked).toEqual([[1]])
})

test('says so when it is spread or looked into, because a copy would have no methods', () => {
  const counter = relayed<Counter>((ask) => ask(openedCounter().open()))
  expect(() => ({ ...counter })).toThrow('cannot be spread')
  expect(() => 'add' in counter).toThrow('or looked into')
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openImage } from '../../../adapters/node-sqlite/index.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import { readMovedTables } from '../../../adapters/sqlite/move/moved-rows.ts'
import { oddFamily } from '../../../test/support/data/odd-rows.ts'
import { fewTables, fewTablesImage } from '../../../test/support/databases/few-tables.ts'
import { movingPlaces, toOwn } from '../../../test/support/moving/moving.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import {
  MOVE_STEPS,
  NEXT_PHASES,
  PLACE_METHODS,
  PLACE_STATES,
  type PlaceMethod,
  type PlaceState,
} from './place-states.ts'

async function valueOf(executor: Executor, sql: string): Promise<unknown> {
  const [found] = await executor.batch([{ sql, parameters: [] }])
  return found?.rows[0]?.value
}

/** The state that an object has stored. An empty one has stored nothing, not even the table. */
async function stateOf(image: Uint8Array | undefined): Promise<unknown> {
  if (image === undefined) return 'empty'
  const object = openImage(image)
  const table = await valueOf(object, "select 1 as value from sqlite_master where name = 'object_facts'")
  if (table === undefined) return 'empty'
  return valueOf(object, "select value ->> 'name' as value from object_facts where name = 'state'")
}

/** Leaves out what equals the one before it. */
const changesOf = (texts: readonly string[]) => texts.filter((text, index) => text !== texts[index - 1])

test('a move that nothing disturbs takes the steps of the map, in their order', async () => {
  const seen: string[] = []
  const shared = openImage(fewTablesImage())
  await oddFamily(shared, await readMovedTables(shared), ['acme'], 2)
  const look = async () => {
    const phase = await valueOf(
      shared,
      'select phase as value from moves order by started_at desc, rowid desc limit 1',
    )
    const [source, target] = places.owned()
    seen.push(
      `${String(phase)}: ${String(await stateOf(source?.image()))}, ${String(await stateOf(target?.image()))}`,
    )
  }
  let isWatched = false
  const places = movingPlaces({
    clock: fakeClock(),
    image: fewTablesImage(),
    migrations: fewTables,
    sharedExecutor: shared,
    interfere: async (call) => {
      const result = await call()
      if (isWatched) await look()
      return result
    },
  })
  await places.move('acme', toOwn)
  places.clock.advance(1)
  isWatched = true
  await places.move('acme', toOwn)
  await places.tidy()
  const expected = MOVE_STEPS.map(({ phase, source, target }) => `${phase}: ${source}, ${target}`)
  expect(changesOf(seen)).toEqual(changesOf(expected))
})

test('each phase of the map is one that may follow the phase before it', () => {
  const phases = changesOf(MOVE_STEPS.map(({ phase }) => phase))
  for (const [index, phase] of phases.slice(1).entries())
    expect(NEXT_PHASES[phases[index] as keyof typeof NEXT_PHASES]).toContain(phase)
  expect(NEXT_PHASES[phases.at(-1) as keyof typeof NEXT_PHASES]).toEqual([])
})

test('the README has the tables of the map and of the states', () => {
  const readme = readFileSync('domain/placement/README.md', 'utf8')
  const rows = readme
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const steps = MOVE_STEPS.map(({ phase, does, source, target }) => [phase, does, source, target])
  const states = (Object.keys(PLACE_STATES) as PlaceState[]).map((name) => {
    const { reads, writes, moves } = PLACE_STATES[name]
    return [name, reads, writes, moves, leadsFrom(name)]
  })
  for (const table of [steps, states]) {
    const [first] = table
    const at = rows.findIndex((row) => row.join() === first?.join())
    expect(rows.slice(at, at + table.length)).toEqual(table)
  }
})

/** The methods that lead from a state to another one, as the README writes them. */
function leadsFrom(name: PlaceState): string {
  return (Object.keys(PLACE_METHODS) as PlaceMethod[])
    .flatMap((method) => {
      const to = (PLACE_METHODS[method] as Readonly<Partial<Record<PlaceState, PlaceState>>>)[name]
      return to === undefined || to === name ? [] : [`\`${method}\` (${to})`]
    })
    .join(', ')
}

import type { NodeSqlite } from '../../adapters/node-sqlite/index.ts'
import { openImage } from '../../adapters/node-sqlite/index.ts'
import type { MoveControl } from '../../adapters/sqlite/move/index.ts'
import type { Executor } from '../../adapters/sqlite/index.ts'
import { isPlainRead } from '../../adapters/sqlite/statement/executor.ts'
import { ElsewhereError, PausedError } from '../../domain/placement/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** A family's database on `node:sqlite`, with the states that the object of a deployment keeps. */
export interface OwnDatabase {
  readonly database: NodeSqlite
  /** What the service asks: refused as an object refuses. */
  readonly serving: Executor
  /** What a move asks. */
  readonly moving: Executor
  readonly control: MoveControl
  /** Whether nothing of it is left. */
  isEmpty(): boolean
}

type State = 'empty' | 'filling' | 'open' | 'closed'

/** Opens a family's database: one that is open already, or one that nobody has used. */
export function ownDatabase(clock: Clock, image: Uint8Array, initially: 'empty' | 'open'): OwnDatabase {
  const database = openImage(image)
  let state: State = initially
  let pause: { token: string; untilMs: number | null } | null = null
  const refuseUnless = (...states: readonly State[]) => {
    if (!states.includes(state)) throw new ElsewhereError(`The database is ${state}.`)
  }
  const refuseWrites = () => {
    if (pause === null) return
    if (pause.untilMs === null || pause.untilMs > clock.nowMs()) throw new PausedError('Paused.')
    pause = null
  }
  const isPause = (token: string) => pause?.token === token
  const control: MoveControl = {
    async begin() {
      if (state === 'closed') throw new ElsewhereError('The database was emptied.')
      if (state === 'empty') state = 'filling'
    },
    async pause(_journalId, token, untilMs) {
      refuseUnless('open')
      if (pause?.untilMs !== null) pause = { token, untilMs }
    },
    async seal(_journalId, token) {
      refuseUnless('open')
      if (!isPause(token)) return false
      pause = { token, untilMs: null }
      return true
    },
    async resume(token) {
      if (isPause(token)) pause = null
    },
    async prepare(token) {
      refuseUnless('filling', 'open')
      state = 'open'
      pause = { token, untilMs: null }
    },
    async unprepare(token) {
      if (isPause(token)) [state, pause] = ['filling', null]
    },
    async open(token) {
      if (isPause(token)) pause = null
    },
    async close() {
      if (state !== 'empty') state = 'closed'
    },
    async empty() {
      state = 'closed'
      return true
    },
  }
  return {
    database,
    control,
    isEmpty: () => state === 'closed' || state === 'empty',
    serving: {
      async batch(statements) {
        refuseUnless('open')
        if (!statements.every(({ sql }) => isPlainRead(sql))) refuseWrites()
        return database.batch(statements)
      },
    },
    moving: {
      async batch(statements) {
        refuseUnless('filling', 'open')
        return database.batch(statements)
      },
    },
  }
}

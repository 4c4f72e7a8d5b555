import type { Clock } from '../../ports/clock.ts'
import type { Meter } from '../../ports/meter.ts'
import { ElsewhereError, PausedError } from '../../domain/placement/errors.ts'
import type { Executor, StatementResult } from '../sqlite/statement/executor.ts'
import { countRows, createMeter } from '../sqlite/statement/meter.ts'
import { readsAlone } from '../sqlite/statement/reads-alone.ts'
import type { ObjectCall } from './object-call.ts'
import { createObjectCall } from './object-call.ts'
import type { FamilyNamespace, FamilyPlace } from './place.ts'
import type { BatchAnswer, Mode } from './protocol.ts'
import { checkLimits } from './protocol.ts'
import { unpacked } from './unpack.ts'

export interface ExecutorOptions {
  readonly namespace: FamilyNamespace
  readonly place: FamilyPlace
  readonly clock: Clock
  /** Counts what the object bills. Optional. */
  readonly meter?: Meter
  /** Whether the statements are those of a move, which runs where others are refused. Default: no. */
  readonly isMove?: boolean
}

/**
 * Runs statements in the object of a family. Rejects with `ElsewhereError` when the family is not there and with
 * `PausedError` when a move pauses its writes; then nothing happened. Reads that failed are tried again, a bounded number
 * of times; writes only when they surely did not happen.
 */
export function createExecutor(options: ExecutorOptions): Executor {
  const { meter = createMeter(), isMove = false } = options
  const call = createObjectCall({ ...options, meter })
  return {
    async batch(statements) {
      if (statements.length === 0) return []
      checkLimits(statements)
      const onlyReads = readsAlone(statements)
      const mode = modeOf(isMove, onlyReads)
      const results = resultsOf(await answerOf(call, mode, onlyReads, statements))
      countRows(meter, results)
      return results
    },
  }
}

function modeOf(isMove: boolean, onlyReads: boolean): Mode {
  if (isMove) return 'move'
  return onlyReads ? 'read' : 'write'
}

function answerOf(
  call: ObjectCall,
  mode: Mode,
  onlyReads: boolean,
  statements: Parameters<Executor['batch']>[0],
): Promise<BatchAnswer> {
  // What a statement carries besides has no place in a message.
  const sent = statements.map(({ sql, parameters }) => ({ sql, parameters }))
  return call((object) => object.batch(mode, sent), onlyReads)
}

function resultsOf(answer: BatchAnswer): readonly StatementResult[] {
  if ('results' in answer) return answer.results.map(unpacked)
  if ('failed' in answer) throw new Error(answer.failed)
  if ('paused' in answer) throw new PausedError()
  throw new ElsewhereError()
}

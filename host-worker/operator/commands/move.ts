import { setTimeout as pause } from 'node:timers/promises'
import { abortMove, beginMove, showMove, lawFlags } from '../../../domain/operators/places.ts'
import { jurisdictions, placeKinds, regions } from '../../../domain/placement/operators/choices.ts'
import { systemClock } from '../../system.ts'
import { CommandError, Unavailable, UsageError, type OperatorService } from '../client/call-service.ts'
import { callWithFlags, textOf, type Command, type Context } from '../command.ts'
import { mark, sets, text, type FlagValues } from '../../../domain/record/command.ts'
import type { AnswerTo } from '../../../domain/record/operation.ts'
import { settingFlags } from '../../../domain/organizations/settings.ts'
import { organizationIdOf, placeOf } from './place-flags.ts'
import { createProgress } from './progress.ts'

type Move = AnswerTo<typeof showMove>['body']

/** How often the service is asked for the progress of the move, and how long it may be unreachable meanwhile, in ms. */
const LOOK_MS = 500
const AWAY_MS = 120_000

const toFlag = sets('place', text(placeKinds.join('|'), 'either'))

const moveCommand: Command = {
  words: ['org', 'move'],
  positionals: [],
  flags: {
    id: text('ID', 'required'),
    to: toFlag,
    abort: mark('either'),
    ...lawFlags,
  },
  summary: 'Move an organization and all below it into a database of its own, or back',
  details: [
    'ID is the root of its family. It is served meanwhile; its writes wait for about a second when it switches. The',
    'service does the move and this command watches: ended, it can be called again. --abort gives a move up that has',
    'not switched yet.',
    `REGION is one of ${regions.join(', ')}; LAW is ${jurisdictions.join(', ')}.`,
  ],
  examples: ['--id lakeside --to own --region weur', '--id lakeside --abort'],
  operations: [beginMove, showMove, abortMove],
  run: async (context, { values }) => {
    const organizationId = organizationIdOf(values)
    const body = targetOf(values)
    const service = await context.service()
    const params = { organizationId }
    if (body === null) {
      const { body: given } = await service.call(abortMove, { params })
      const ended = await watched(given, service)
      if (ended.phase !== 'aborted') throw new CommandError(`${organizationId} has switched already.`)
      context.note(`The move of ${organizationId} was given up. It is where it was.`)
      return
    }
    const { move } = (
      await callWithFlags({ ...settingFlags, to: toFlag, ...lawFlags }, () =>
        service.call(beginMove, { params, body }),
      )
    ).body
    if (move === null) {
      context.note(`${organizationId} is there already.`)
      return
    }
    report(await watched(move, service), context)
  },
}

/** The family's target; null: none, because the command aborts the move. */
function targetOf(values: FlagValues) {
  const given = textOf(values, 'to')
  if (given === undefined) {
    if (textOf(values, 'region') !== undefined || textOf(values, 'jurisdiction') !== undefined)
      throw new UsageError('--abort takes neither --region nor --jurisdiction')
    return null
  }
  const place = placeKinds.find((kind) => kind === given)
  if (place === undefined) throw new UsageError(`--to must be ${placeKinds.join(' or ')}`)
  return { ...placeOf(values), place }
}

/** Watches a move until it has ended, or until the family lives in the new place and only cleaning up is left. */
async function watched(begun: Move, service: OperatorService): Promise<Move> {
  const progress = createProgress(process.stderr, () => systemClock.nowMs())
  let move = begun
  let answeredMs = systemClock.nowMs()
  try {
    while (move.endedAt === null) {
      progress.update(`${move.phase} (table ${move.table} of ${move.tables})`, move.copiedRows)
      await pause(LOOK_MS)
      try {
        move = (await service.call(showMove, { params: { moveId: begun.moveId } })).body
        answeredMs = systemClock.nowMs()
      } catch (error) {
        // A service that restarts continues the move by itself.
        const isAway = error instanceof Unavailable && systemClock.nowMs() - answeredMs < AWAY_MS
        if (!isAway) throw error
      }
    }
    return move
  } finally {
    progress.end()
  }
}

function report({ organizationId, phase, to, copiedRows, pausedMs, failure }: Move, context: Context): void {
  if (phase === 'aborted')
    throw new CommandError(
      `The move of ${organizationId} was given up. It is where it was.${failure === null ? '' : ` ${failure}`}`,
    )
  const where = to === 'own' ? 'a database of its own' : 'the shared database'
  context.note(
    `${organizationId} lives in ${where}: ${copiedRows} rows; writes were paused for ${pausedMs ?? 0} ms.`,
  )
}

export const commands = [moveCommand]

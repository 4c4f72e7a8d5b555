import { setRetention } from '../../../../domain/operators/endpoints/organization/removals.ts'
import { UsageError } from '../../client/errors.ts'
import { textOf } from '../../command/arguments.ts'
import type { Command, Values } from '../../command/command.ts'
import { text } from '../../command/command.ts'

const setCommand: Command = {
  words: ['retention', 'set'],
  positionals: [],
  flags: { org: text('ID', 'required'), submissions: text('DAYS|none'), sends: text('DAYS|none') },
  summary: 'Set for how long submissions and the log of sends are kept',
  details: [
    'What is older is removed once a day. A flag that is not given keeps what is set. "org show" prints the settings.',
  ],
  examples: ['--org lakeside --submissions 365 --sends 90'],
  operations: [setRetention],
  run: async (context, { values }) => {
    const body = { ...daysIn(values, 'submissions'), ...daysIn(values, 'sends') }
    if (Object.keys(body).length === 0) throw new UsageError('--submissions or --sends is needed')
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body: settings } = await service.call(setRetention, { params: { organizationId }, body })
    const shown = (days: number | null) => (days === null ? 'for ever' : `${days} days`)
    context.note(
      `${organizationId} keeps submissions ${shown(settings.submissions)}, and the log of sends ${shown(settings.sends)}.`,
    )
  },
}

function daysIn(
  values: Values,
  flag: 'submissions' | 'sends',
): { readonly [Flag in typeof flag]?: number | null } {
  const given = textOf(values, flag)
  if (given === undefined) return {}
  if (given === 'none') return { [flag]: null }
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new UsageError(`--${flag} must be a number of days, or none`)
  return { [flag]: Number(given) }
}

export const commands = [setCommand]

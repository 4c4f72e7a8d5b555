import { itemsOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'

export const audit: Command = {
  words: ['audit'],
  positionals: [],
  flags: { org: text('ID') },
  summary: 'Print what operators changed, one JSON object a line, newest first',
  details: [
    'Keys: at, operatorKeyId, operator, action, organizationId, outcome. The outcome is done; refused or forbidden, when',
    'what is stored or the role did not allow it; or failed. --org narrows the list to one organization.',
  ],
  operations: ['audit.list'],
  run: async (context, { values }) => {
    const organizationId = textOf(values, 'org')
    const query = organizationId === undefined ? {} : { organizationId }
    for await (const record of itemsOf(await context.service(), 'audit.list', { query }))
      context.out(JSON.stringify(record))
  },
}

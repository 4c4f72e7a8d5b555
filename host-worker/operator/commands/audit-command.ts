import { listAudit } from '../../../domain/operators/endpoints/audit.ts'
import { itemsOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'

const auditCommand: Command = {
  words: ['audit'],
  positionals: [],
  flags: { org: text('ID') },
  summary: 'Print what operators changed, one JSON object a line, newest first',
  details: [
    'Keys: at, operatorKeyId, operator, action, organizationId, outcome. The outcome is done; refused or forbidden, when',
    'what is stored or the role did not allow it; or failed. --org narrows the list to one organization.',
  ],
  operations: [listAudit],
  run: async (context, { values }) => {
    const organizationId = textOf(values, 'org')
    const query = organizationId === undefined ? {} : { organizationId }
    for await (const record of itemsOf(await context.service(), listAudit, { query }))
      context.out(JSON.stringify(record))
  },
}

export const commands = [auditCommand]

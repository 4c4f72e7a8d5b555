import { listAudit } from '../../../domain/operators/endpoints/audit.ts'
import { auditActions } from '../../../domain/record/audit-action.ts'
import { UsageError } from '../client/errors.ts'
import { itemsOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'

const auditCommand: Command = {
  words: ['audit'],
  positionals: [],
  flags: { org: text('ID'), 'operator-key': text('KEYID'), action: text('A') },
  summary: 'Print what operators changed, one JSON object a line, newest first',
  details: [
    'Keys: at, operatorKeyId, operator, action, organizationId, outcome, subject. The outcome is done; refused or',
    'forbidden, when what is stored or the role did not allow it; or failed. The subject says what it is about: the id',
    'of the key, import, move or outbox entry, or which settings changed; of an import also its kind and counts.',
    '--org, --operator-key and --action narrow the list to one organization, one key that asked, or one action:',
    ...linesOf(auditActions),
  ],
  operations: [listAudit],
  run: async (context, { values }) => {
    const given = textOf(values, 'action')
    const action = auditActions.find((known) => known === given)
    if (given !== undefined && action === undefined)
      throw new UsageError(`--action must be one of ${auditActions.join(', ')}`)
    const narrowed = {
      organizationId: textOf(values, 'org'),
      operatorKeyId: textOf(values, 'operator-key'),
      action,
    }
    const query = Object.fromEntries(
      Object.entries(narrowed).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    for await (const record of itemsOf(await context.service(), listAudit, { query }))
      context.out(JSON.stringify(record))
  },
}

/** The words in lines of the usual width. */
function linesOf(words: readonly string[]): readonly string[] {
  const half = Math.ceil(words.length / 2)
  return [`${words.slice(0, half).join(', ')},`, `${words.slice(half).join(', ')}.`]
}

export const commands = [auditCommand]

import { listAudit } from '../../../domain/operators/endpoints/service/audit.ts'
import { auditActions } from '../../../domain/record/operation/audit-action.ts'
import type { ItemOf } from '../client/pages.ts'
import { itemsOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import { choice, text } from '../command/command.ts'
import { listing, source } from '../listing/listing.ts'

const records = source<ItemOf<typeof listAudit>>(
  [
    { head: 'at', of: ({ at }) => at },
    { head: 'operator', of: ({ operator }) => operator, mayBeCut: true },
    { head: 'action', of: ({ action }) => action },
    { head: 'outcome', of: ({ outcome }) => outcome },
    { head: 'organization', of: ({ organizationId }) => organizationId },
    { head: 'subject', of: ({ subject }) => JSON.stringify(subject), mayBeCut: true },
    { head: 'operator key', of: ({ operatorKeyId }) => operatorKeyId },
  ],
  async (context, values, limit) => {
    const narrowed = {
      organizationId: textOf(values, 'org'),
      operatorKeyId: textOf(values, 'operator-key'),
      action: textOf(values, 'action'),
    }
    const given = Object.entries(narrowed).filter(([, value]) => value !== undefined)
    return itemsOf(await context.service(), listAudit, { query: { limit, ...Object.fromEntries(given) } })
  },
)

const auditCommand = listing({
  words: ['audit'],
  flags: { org: text('ID'), 'operator-key': text('KEYID'), action: choice('A', auditActions) },
  summary: 'Print what operators changed, newest first',
  details: [
    'The outcome is done; refused or',
    'forbidden, when what is stored or the role did not allow it; or failed. The subject says what it is about: the id',
    'of the key, import, move or outbox entry, or which settings changed; of an import also its kind and counts.',
    '--org, --operator-key and --action narrow the list to one organization, one key that asked, or one action:',
    ...linesOf(auditActions),
  ],
  examples: ['', '--org lakeside --action key.issue --limit 20', '--json'],
  operations: [listAudit],
  sources: [records],
  piped: 'json',
  shown: null,
})

/** The words in lines of the usual width. */
function linesOf(words: readonly string[]): readonly string[] {
  const half = Math.ceil(words.length / 2)
  return [`${words.slice(0, half).join(', ')},`, `${words.slice(half).join(', ')}.`]
}

export const commands = [auditCommand]

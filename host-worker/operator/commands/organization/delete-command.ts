import { deleteOrganizationEndpoint } from '../../../../domain/operators/endpoints/organization/removals.ts'
import { UsageError } from '../../client/errors.ts'
import { textOf } from '../../command/arguments.ts'
import type { Command } from '../../command/command.ts'
import { text } from '../../command/command.ts'

export const deleteCommand: Command = {
  words: ['org', 'delete'],
  positionals: [],
  flags: { id: text('ID', 'required'), confirm: text('ID', 'required') },
  summary: 'Delete an organization with everything that is stored of it',
  details: [
    'There is no way back but a backup: --confirm repeats the id. Its keys and forms end first. Interrupted, the same',
    'command goes on; until it is done the organization is closed. It also removes what a restoration that stopped has left.',
    'The parent of others is not deleted. Rows at a point of sale, backups and the audit stay.',
  ],
  examples: ['--id lakeside --confirm lakeside'],
  operations: [deleteOrganizationEndpoint],
  run: async (context, { values }) => {
    const organizationId = textOf(values, 'id') ?? ''
    const confirm = textOf(values, 'confirm') ?? ''
    if (confirm !== organizationId) throw new UsageError('--confirm must repeat the id of the organization')
    const service = await context.service()
    const rows = new Map<string, number>()
    for (let isDone = false; !isDone;) {
      const call = { params: { organizationId }, body: { confirm } }
      const { body } = await service.call(deleteOrganizationEndpoint, call)
      for (const [table, count] of Object.entries(body.rows)) rows.set(table, (rows.get(table) ?? 0) + count)
      isDone = body.isDone
    }
    for (const [table, count] of rows) context.out(`${table}  ${count}`)
    context.note(`Deleted ${organizationId}.`)
  },
}

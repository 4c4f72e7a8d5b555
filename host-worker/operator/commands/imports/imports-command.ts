import { listImports } from '../../../../domain/operators/endpoints/imports/imports.ts'
import type { ItemOf } from '../../client/pages.ts'
import { itemsOf } from '../../client/pages.ts'
import { textOf } from '../../command/arguments.ts'
import { text } from '../../command/command.ts'
import { listing, source } from '../../listing/listing.ts'

const imports = source<ItemOf<typeof listImports>>(
  [
    { head: 'import', of: ({ importId }) => importId },
    { head: 'kind', of: ({ kind }) => kind },
    { head: 'state', of: ({ state }) => state },
    { head: 'read', of: ({ readRows }) => readRows },
    { head: 'written', of: ({ writtenRows }) => writtenRows },
    { head: 'changed', of: ({ changedRows }) => changedRows },
    { head: 'problems', of: ({ problems }) => problems.length },
    { head: 'opened at', of: ({ openedAt }) => openedAt },
    { head: 'touched at', of: ({ touchedAt }) => touchedAt },
  ],
  async (context, values, limit) => {
    const params = { organizationId: textOf(values, 'org') ?? '' }
    return itemsOf(await context.service(), listImports, { params, query: { limit } })
  },
)

const importsCommand = listing({
  words: ['imports'],
  flags: { org: text('ID', 'required') },
  summary: "Print an organization's imports, newest first",
  details: [
    'Those that are open, and those that ended less than a day ago. JSON also has their format, totalBytes,',
    'receivedBytes, nextPart, partBytes, and each problem.',
  ],
  examples: ['--org lakeside', '--org lakeside --limit 1 --json'],
  operations: [listImports],
  sources: [imports],
  piped: 'json',
  shown: null,
})

export const commands = [importsCommand]

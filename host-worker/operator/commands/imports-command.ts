import { listImports } from '../../../domain/operators/endpoints/imports.ts'
import { itemsOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'

const importsCommand: Command = {
  words: ['imports'],
  positionals: [],
  flags: { org: text('ID', 'required') },
  summary: "Print an organization's imports, one JSON object a line, newest first",
  details: [
    'Those that are open, and those that ended less than a day ago. Keys: importId, kind, format, state, totalBytes,',
    'receivedBytes, nextPart, partBytes, readRows, writtenRows, changedRows, problems, openedAt, touchedAt.',
  ],
  operations: [listImports],
  run: async (context, { values }) => {
    const params = { organizationId: textOf(values, 'org') ?? '' }
    for await (const session of itemsOf(await context.service(), listImports, { params }))
      context.out(JSON.stringify(session))
  },
}

export const commands = [importsCommand]

import { readFileSync } from 'node:fs'
import { importKindNames, isKeptAtPos } from '../../../domain/imports/kinds.ts'
import { deleteRows, REMOVED_ROWS_MAX } from '../../../domain/operators/removals.ts'
import { CommandError, UsageError } from '../client/call-service.ts'
import { textOf, type Command } from '../command.ts'
import { text } from '../../../domain/record/command.ts'
import { givenPath } from './files.ts'

const deleteCommand: Command = {
  words: ['rows', 'delete'],
  positionals: ['KIND', '[FILE]'],
  choices: { KIND: importKindNames.filter((kind) => !isKeptAtPos(kind)) },
  flags: { org: text('ID', 'required'), id: text('ROWID') },
  summary: 'Delete rows that were imported by mistake, all or none',
  details: [
    'KIND is one of the kinds of imports that are stored in the service. FILE has one id a line; --id names one row.',
    'A row of list-members is named by the id of its list, a tab and the id of its contact. A row to which others refer',
    'is not deleted. With a submission goes its mark, and what was still to be sent because of it.',
    `At most ${REMOVED_ROWS_MAX} rows at once. Whoever keeps a copy learns of it from /api/v1/removals.`,
  ],
  examples: [
    'contacts --org lakeside --id c-1',
    'form-submissions --org lakeside --id sub_2Zk8QwVt7LhXn4RmPq9sBc',
    'contacts ids.txt --org lakeside',
  ],
  operations: [deleteRows],
  run: async (context, { values, positionals: [kind = '', path] }) => {
    const ids = idsIn(textOf(values, 'id'), path)
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body } = await service.call(deleteRows, { params: { organizationId, kind }, body: { ids } })
    context.note(`Deleted ${body.rows} ${body.rows === 1 ? 'row' : 'rows'} of ${kind}.`)
  },
}

/** The ids that are given: one, or those in the lines of a file. */
function idsIn(one: string | undefined, path: string | undefined): string[] {
  if (one !== undefined && path !== undefined) throw new UsageError('FILE and --id exclude each other')
  if (one !== undefined) return [one]
  if (path === undefined) throw new UsageError('FILE or --id is missing')
  const ids = linesOf(path).filter((line) => line !== '')
  if (ids.length === 0) throw new CommandError(`${path} contains no ids.`)
  if (ids.length > REMOVED_ROWS_MAX)
    throw new CommandError(
      `${path} has ${ids.length} ids. At most ${REMOVED_ROWS_MAX} rows are deleted at once: divide the file.`,
    )
  return ids
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(givenPath(path), 'utf8').split(/\r?\n/)
  } catch (cause) {
    throw new CommandError(`The file ${path} cannot be read.`, { cause })
  }
}

export const commands = [deleteCommand]

import { beginExport, readExport } from '../../../../domain/operators/endpoints/organization/exports.ts'
import { remoteSource } from '../../archives/remote-source.ts'
import { writeArchiveFile } from '../../archives/write-file.ts'
import type { Command } from '../../command/command.ts'
import { mark, text } from '../../command/command.ts'
import { givenPath } from '../import-file.ts'
import { withProgress } from '../progress.ts'
import { organizationIdOf } from './organization-flags.ts'

export const exportCommand: Command = {
  words: ['org', 'export'],
  positionals: ['FILE'],
  flags: { id: text('ID', 'required'), 'with-secrets': mark() },
  summary: 'Write everything that is stored of an organization into an archive',
  details: [
    'FILE is a tar file with a manifest, the settings, and one NDJSON file for each kind of row; the manual describes it.',
    'It is one state of the organization: when something is written meanwhile, the export starts again. Nothing is',
    'changed. Keys and the hashes of form passwords are included with --with-secrets only.',
  ],
  examples: ['lakeside.tar --id lakeside'],
  operations: [beginExport, readExport],
  run: async (context, { values, positionals: [file = ''] }) => {
    const organizationId = organizationIdOf(values)
    const path = givenPath(file)
    const service = await context.service()
    const source = remoteSource(service, organizationId, values['with-secrets'] === true)
    const rows = await withProgress((onProgress) =>
      writeArchiveFile({ path, source, note: context.note, onProgress }),
    )
    context.note(`Exported ${organizationId}: ${rows} rows in ${file}.`)
  },
}

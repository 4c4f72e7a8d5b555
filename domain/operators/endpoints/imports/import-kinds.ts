import * as v from 'valibot'
import { importKindNames } from '../../../imports/kinds.ts'
import { component, described } from '../../../record/meaning.ts'
import { jsonResponse, operation, type ReplyOf } from '../../../record/operation.ts'
import { jsonReply, PRIVATE } from '../../../record/reply.ts'

const Column = v.strictObject({
  name: described(v.string(), 'The name of the field.'),
  type: described(v.picklist(['text', 'integer', 'real', 'boolean', 'json']), 'What a cell holds.'),
  isRequired: described(v.boolean(), 'Whether every row must have it.'),
  whenLeftOut: described(
    v.nullable(v.string()),
    'What a new row has without it, in words; null: it is required.',
  ),
  meaning: described(v.nullable(v.string()), 'What it means; null: its name says it.'),
})

const Kind = v.strictObject({
  kind: described(v.string(), 'What the rows are.'),
  columns: described(v.array(Column), 'What a row may have, the required ones first.'),
  template: described(v.string(), 'A CSV file with a row of examples.'),
})

const ImportKinds = component(
  'ImportKinds',
  described(
    v.strictObject({ data: described(v.array(Kind), 'One for each kind.') }),
    'What can be imported.',
  ),
)

export const listImportKinds = operation({
  id: 'importKinds.list',
  method: 'GET',
  path: '/operator/v1/import-kinds',
  access: 'support',
  tag: 'Imports',
  summary: 'List what can be imported, with the columns of its files',
  description: 'A kind comes after those to which its rows refer.',
  responses: {
    200: jsonResponse('Every kind.', ImportKinds, {
      data: [
        {
          kind: 'contact-lists',
          columns: [
            {
              name: 'listId',
              type: 'text',
              isRequired: true,
              whenLeftOut: null,
              meaning: 'Identifier of the list.',
            },
          ],
          template: 'listId\r\nlist-members\r\n',
        },
      ],
    }),
  },
})

/** Answers `GET /operator/v1/import-kinds`. */
export async function serveImportKinds(): Promise<ReplyOf<typeof listImportKinds>> {
  // Loaded on demand, because only this needs the examples of the contract document.
  const { templateCsv, templateOf } = await import('../../../imports/template.ts')
  const data = importKindNames.map((kind) => {
    const columns = templateOf(kind)
    const shown = columns.map(({ name, type, isRequired, whenLeftOut, meaning }) => {
      return { name, type, isRequired, whenLeftOut, meaning }
    })
    return { kind, columns: shown, template: templateCsv(columns) }
  })
  return jsonReply(200, { data }, PRIVATE)
}

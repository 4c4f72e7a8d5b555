import type { Terms } from './term.ts'

/** Terms that only the operator interface has. */
export const operators: Terms = {
  keyId: ['Identifier of the key, which the key itself contains.', '3kTzB0n9QmVx'],
  'path.kind': ['The kind of the rows: one of those that `GET /operator/v1/import-kinds` lists.', 'contacts'],
  'path.importId': [
    'Identifier of the import, which the answer to its opening names.',
    'imp_7LuededThEx9eGMTKSulvj',
  ],
  'path.part': [
    'The number of the part: the first is 1, and answers name the awaited one as `nextPart`.',
    '1',
  ],
  'path.restoreId': [
    'Identifier of the restoration, which the answer to its beginning names.',
    'res_4hLA6A3bzrs3EM58h4GpB2',
  ],
  'path.moveId': ['Identifier of the move, which the answer to its request names.', '6fce444c46f8fba8f10c'],
  outboxId: ['Identifier of the entry.', '4f1c2a9e-7d55-4a1b-9c1f-2f6f0d1f3b77'],
}

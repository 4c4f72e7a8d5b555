import { expect, test } from 'vitest'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { importWorld, sourceOf } from '../../test/support/data/imports.ts'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { createScratchPos } from '../../test/support/scratch/scratch-pos.ts'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import type { Organization, PosSourceTie } from '../../ports/organizations.ts'
import { utf8 } from '../text/encoding.ts'
import { folded } from './file/header.ts'
import { importKindNames } from './kinds.ts'
import { runImport } from './sessions.ts'
import { templateCsv, templateOf, type TemplateColumn } from './template.ts'

const clock = { nowMs: () => Date.UTC(2026, 10, 1) }
const tie: PosSourceTie = { kind: 'legacy_vendor', tenant: 'bubble' }
const acme: Organization = { ...organization('acme'), posSource: tie }

async function openWorld() {
  const storage = createScratchStorage({ clock })
  await storage.administration.saveOrganization(acme)
  const pos = createScratchPos()
  const passwords = { hash: async () => 'hash', verify: async () => false }
  const tools = { passwords, clock, secrets: () => testSecrets() }
  return importWorld(storage, acme, tools, () => ({ writer: pos.writer(tie) }))
}

const imported = async (
  kind: string,
  columns: readonly TemplateColumn[],
  world: Awaited<ReturnType<typeof openWorld>>,
) =>
  runImport(
    { kind, format: 'csv', source: sourceOf(utf8(templateCsv(columns))), onProgress: () => undefined },
    world,
  )

test('the template of every kind is imported as it is, and with its required columns alone', async () => {
  for (const isWhole of [true, false]) {
    const world = await openWorld()
    for (const kind of importKindNames) {
      // Of a contact, the id, the email or the phone is required.
      const isNeeded = ({ name, isRequired }: TemplateColumn) =>
        isWhole || isRequired || (kind === 'contacts' && name === 'contactId')
      const columns = templateOf(kind).filter(isNeeded)
      const outcome = await imported(kind, columns, world)
      expect([kind, outcome]).toEqual([
        kind,
        {
          ...{ kind: 'imported', read: 1, skipped: 0, changed: 1, unchanged: 0, warnings: [] },
          ...(kind === 'contacts' ? { fresh: 1, merged: 0 } : { fresh: null, merged: null }),
        },
      ])
      expect(await imported(kind, columns, world)).toMatchObject({ changed: 0, unchanged: 1 })
    }
  }
})

test('a template without any one of its required columns is refused, and says which', async () => {
  const world = await openWorld()
  for (const kind of importKindNames) {
    for (const { name } of templateOf(kind).filter(({ isRequired }) => isRequired)) {
      const outcome = await imported(
        kind,
        templateOf(kind).filter((column) => column.name !== name),
        world,
      )
      expect(outcome.kind === 'invalid' && outcome.problems).toContainEqual({
        line: 2,
        field: name,
        message: 'is required',
      })
    }
  }
})

test('no two fields of a kind have names that a header could confuse', () => {
  for (const kind of importKindNames) {
    const names = templateOf(kind).map(({ name }) => folded(name))
    expect(new Set(names).size, kind).toBe(names.length)
  }
})

import { describe, expect, test } from 'vitest'
import { form, submissionRow, organization, contact } from '../../adapters/conformance/fixtures.ts'
import { everyText } from '../../test/support/databases/whole-database.ts'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { thorough } from '../../test/support/runner/thorough.ts'
import { createScratchPlaces, OWN, type ScratchPlaces } from '../../test/support/scratch/scratch-places.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import { deleteOrganization, erasePerson } from './removal.ts'
import { sweepRetention } from './retention.ts'

// Removing is interrupted at calls of a database, before or after them, and taken up again by another process.

const secrets = await testSecrets()

/** From one interrupted call to the next. */
const STEP = thorough(1, 6)

const DAY_MS = 86_400_000
const person = { firstName: 'Xanthippe', email: 'x@example.org', emailKey: 'x@example.org' }
const other = { firstName: 'Yolanda' }

async function filled(choice: PlaceChoice): Promise<ScratchPlaces> {
  const scratch = createScratchPlaces()
  const storage = scratch.isolate()
  for (const id of ['acme', 'kept']) {
    await storage.administration.saveOrganization(organization(id), undefined, choice)
    const tenant = storage.tenant(id)
    await tenant.upsert('contacts', [contact('c-1', id === 'acme' ? person : other), contact('c-2')])
    await tenant.upsert('forms', [form(`form-of-${id}`)])
    await tenant.upsert('form-submissions', [
      submissionRow(`${id}-1`, {
        contactId: 'c-1',
        answers: { name: id === 'acme' ? 'Xanthippe' : 'Yolanda' },
        formId: `form-of-${id}`,
      }),
      submissionRow(`${id}-2`, {
        answers: { mail: id === 'acme' ? 'x@example.org' : 'y@example.org' },
        formId: `form-of-${id}`,
      }),
    ])
  }
  await storage
    .organizationStore('acme')
    .setRetention({ submissions: 1, sends: 1 }, '2026-01-01T00:00:00.000Z')
  scratch.clock.ms += 30 * DAY_MS
  return scratch
}

/** Every text that is stored in the shared database and in that of the family. */
async function left(scratch: ScratchPlaces): Promise<readonly string[]> {
  const databases = [scratch.shared, scratch.familyAt('acme.1')].filter((one) => one !== undefined)
  const texts = await Promise.all(databases.map(everyText))
  return texts.flat().map(({ table, column, text }) => `${table}.${column} ${text}`)
}

const worldOf = (scratch: ScratchPlaces) => {
  const { organizationStore, deletionPlaces, erasures, people } = scratch.isolate()
  return { organizationStore, deletionPlaces, erasures, people, secrets, clock: scratch.clock }
}

/** What removes, and what the stored texts that it removes look like. */
const removals: readonly {
  readonly name: string
  readonly gone: RegExp
  readonly work: (scratch: ScratchPlaces) => Promise<unknown>
}[] = [
  {
    name: 'deleting an organization',
    gone: /\bacme\b/,
    work: (scratch) => deleteOrganization('acme', worldOf(scratch)),
  },
  {
    name: 'erasing a person',
    gone: /Xanthippe|x@example\.org/,
    work: (scratch) =>
      erasePerson(
        'acme',
        { contactIds: ['c-1'], emailKeys: [], phones: [] },
        { from: null, isDryRun: false },
        worldOf(scratch),
      ),
  },
  {
    name: 'applying a retention',
    gone: /^form_submissions\.submission_id acme/,
    work: async (scratch) => {
      const isolate = scratch.isolate()
      const place = (await scratch.directory.placeOf('acme')) ?? ({ kind: 'shared' } as const)
      await sweepRetention({
        retention: isolate.places.storageAt(place, true).retentionDirectory,
        clock: scratch.clock,
        // A failed setting is logged and stays due.
        log: { info: () => undefined, error: () => undefined },
      })
    },
  },
]

describe.each([
  ['the shared database', { kind: 'shared' } as const],
  ['a database of its own', OWN],
])('in %s', (_name, choice) => {
  test.each(removals)('$name leaves nothing, wherever it was interrupted', async ({ name, work, gone }) => {
    const goneIn = async (scratch: ScratchPlaces) => (await left(scratch)).filter((text) => gone.test(text))
    expect(await goneIn(await filled(choice))).not.toEqual([])
    let points = 0
    for (const [hook, first] of [
      ['before', 1],
      ['after', 1 + (2 % STEP)],
    ] as const) {
      for (let kill = first, wasKilled = true; wasKilled; kill += STEP) {
        const scratch = await filled(choice)
        let calls = 0
        scratch[hook] = () => {
          calls += 1
          if (calls === kill) throw new Error('killed')
        }
        // Work that goes on after a failed call tells of it in another way, or of nothing.
        await work(scratch).catch((error: unknown) => {
          expect(error).toMatchObject({ message: 'killed' })
        })
        scratch[hook] = () => undefined
        wasKilled = calls >= kill
        points += wasKilled ? 1 : 0
        const again = await work(scratch)
        const remaining = await goneIn(scratch)
        expect({ name, hook, kill, again, remaining }).toMatchObject({ remaining: [] })
        expect(
          (await scratch.isolate().tenant('kept').findMany('contacts', ['firstName'], ['c-1']))[0],
        ).toEqual({
          firstName: 'Yolanda',
        })
      }
    }
    expect(points).toBeGreaterThan(8 / STEP)
  })
})

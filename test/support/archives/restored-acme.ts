import { contact, form, organization } from '../../../adapters/conformance/fixtures.ts'
import { fakeRandom, testSecrets } from '../runner/fakes.ts'
import { createScratchPlaces, type ScratchPlaces } from '../scratch/scratch-places.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { readHead, readLines, type Manifest } from '../../../domain/organizations/archive.ts'
import { beginRestoring, type RestoreWorld } from '../../../domain/organizations/restoration.ts'
import { finishRestoring, writePart } from '../../../domain/organizations/restore.ts'
import { settingsProblem } from '../../../domain/organizations/settings.ts'

/** An archive of an organization with a slug, a contact and two forms, as an operator sends it. */
async function archived() {
  const storage = createScratchPlaces().isolate()
  await storage.administration.saveOrganization(organization('acme', { slug: 'acme' }), undefined, {
    kind: 'shared',
  })
  await storage.tenant('acme').upsert('contacts', [contact('c-1', { firstName: 'Xanthippe' })])
  await storage.tenant('acme').upsert('forms', [form('f-1'), form('f-2')])
  const local = { organizationId: 'acme', store: storage.organizationStore('acme'), withSecrets: false }
  const place = {
    place: 'shared',
    region: null,
    jurisdiction: null,
    generation: null,
    sizeBytes: null,
  } as const
  const head = await readHead(local, place)
  if (head === null) throw new Error('There is no organization')
  const files = []
  for (const one of head.files) {
    const read = await readLines(local, one.file, null)
    files.push({ ...one, lines: (read?.lines ?? '').split('\n').slice(0, -1) })
  }
  const digested = { bytes: 0, sha256: '0'.repeat(64) }
  const manifest: Manifest = {
    format: 'tenant-data-archive',
    version: 1,
    organizationId: 'acme',
    secrets: false,
    organization: digested,
    files: files.map(({ file, columns, lines }) => ({
      file,
      columns: [...columns],
      rows: lines.length,
      ...digested,
    })),
  }
  return { head, manifest, files: files.filter(({ lines }) => lines.length > 0) }
}

const { head, manifest, files } = await archived()
const secrets = await testSecrets()

type OwnChoice = Extract<PlaceChoice, { readonly kind: 'own' }>

/** What a restoration may have otherwise. */
interface Otherwise {
  /** As in a request to restore. */
  readonly slug?: string | null
  /** Where the organization lived when it was archived; by default in the shared database. */
  readonly archivedIn?: OwnChoice
  /** In place of the stores of the scratch databases. */
  readonly organizationStore?: RestoreWorld['organizationStore']
}

/** Restores acme from the archive, or takes up where an interrupted restoration stopped. */
export async function restoreAcme(
  scratch: ScratchPlaces,
  choice: PlaceChoice | null,
  otherwise: Otherwise = {},
) {
  const { restorePlaces, administration, operatorKeys, erasures, ...storage } = scratch.isolate()
  const { slug, archivedIn, organizationStore = storage.organizationStore } = otherwise
  const place = archivedIn === undefined ? {} : { place: archivedIn.kind, ...archivedIn }
  const world: RestoreWorld = {
    ...{ organizationStore, restorePlaces, administration, operatorKeys, erasures, secrets },
    clock: scratch.clock,
    random: fakeRandom(scratch.calls.length),
  }
  const asked = { organizationId: 'acme', archive: 'acme.tar', digest: 'digest', manifest, choice }
  const begun = await beginRestoring(
    {
      ...asked,
      organization: { ...head.organization, ...place },
      slug,
      formIds: ['f-1', 'f-2'],
      newFormIds: false,
      settingsProblem,
    },
    world,
  )
  if ('refusal' in begun) return begun.refusal
  const { restoreId } = begun.restoration
  for (const [index, { file, lines }] of files.entries()) {
    const part = await writePart({ organizationId: 'acme', restoreId, part: index + 1, file, lines }, world)
    if (part === null || 'refusal' in part) return part
  }
  return finishRestoring('acme', restoreId, world)
}

import { newOrganization } from '../../../domain/organizations/settings.ts'
import { writtenResources } from '../../../domain/resources/index.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { Storage } from '../../../ports/storage.ts'
import { sampleRow } from '../data/sample-rows.ts'

/** One write through the ports, which is the same on every storage. */
export type RandomWrite = (storage: Storage) => Promise<unknown>

/** How many ids there are per collection. They are few, so that rows are changed as often as they are inserted. */
const VARIETY = 9

const pick = <Value>(random: () => number, values: readonly [Value, ...Value[]]): Value =>
  values[Math.floor(random() * values.length)] ?? values[0]

/**
 * Draws a write to one of the organizations, of which the first is the root of the family. Two draws never make the
 * same new id.
 */
export function drawWrite(
  random: () => number,
  clock: Clock,
  organizationIds: readonly [string, ...string[]],
  draw: number,
): RandomWrite {
  const organizationId = pick(random, organizationIds)
  const now = toInstant(clock.nowMs())
  const index = Math.floor(random() * VARIETY)
  const resource = pick(random, [...writtenResources] as [(typeof writtenResources)[number]])
  const upsert: RandomWrite = ({ tenant }) => {
    // Half of the writes use a row's id with the values of another index, which changes a stored row.
    const row = sampleRow(resource, random() < 0.5 ? index : index + VARIETY, `${organizationId}-`)
    const own = {
      ...row,
      [resource.idField]: sampleRow(resource, index, `${organizationId}-`)[resource.idField],
    }
    return tenant(organizationId).upsert(resource.collection, [resource.alternateKey === null ? own : row])
  }
  const save: RandomWrite = async ({ tenant }) => {
    const formId = `${organizationId}-formId-${index % 3}`
    const of = random() < 0.5 ? index : index + VARIETY
    const writer = tenant(organizationId)
    const [stored] = await writer.findMany('forms', ['updatedAt'], [formId])
    const form = {
      ...{ formId, name: `Name ${of}`, isPublished: true, publishedAt: null, createdAt: now },
      definition: { formId, name: `Name ${of}`, isPublished: true, notificationEmails: [], fields: [of] },
      passwordHash: null,
    }
    const replaces = stored === undefined ? null : String(stored.updatedAt)
    await writer.change('forms', [{ row: form, replaces }], `Grace ${draw}`)
  }
  const submit: RandomWrite = ({ tenant }) =>
    tenant(organizationId).saveSubmission({
      submissionId: `submission-${draw}`,
      formId: `${organizationId}-formId-${index % 3}`,
      formVersion: 1,
      submittedAt: now,
      source: 'headless',
      answers: { text: `\u0000 ${draw} \u{1f600}` },
      typed: index === 0 ? null : { phone: `+49 ${draw}` },
      extra: index === 0 ? { _subject: String(draw), constructor: `\u0000 ${draw}` } : null,
      attribution: {},
      limitPerContact: null,
      servedAt: null,
      contact: {
        newContactId: `contact-of-${draw}`,
        email: `visitor${index}@example.com`,
        emailKey: `visitor${index}@example.com`,
        phone: null,
        firstName: `first\u0000${draw}`,
        lastName: null,
        licensePlate: null,
      },
      outbox: [{ outboxId: `entry-${draw}`, kind: 'notification', payload: { draw } }],
      judged: {
        reasons: index === 1 ? ['words'] : [],
        signs: [{ sign: `sign-${index}`, keptMs: 60_000, earlierMax: 3, reason: 'flood' }],
        words: [index],
      },
    })
  const work: RandomWrite = async ({ outbox }) => {
    const [entry] = await outbox.list(organizationId, null, 1)
    if (entry === undefined) return
    const own = outbox.open(organizationId)
    await own.claim(entry.outboxId, { token: `lease-${draw}`, until: toInstant(clock.nowMs() + 1000) }, now)
    if (index > 3) await own.settle(entry.outboxId, `lease-${draw}`, { kind: 'done', sends: [] }, now)
  }
  const newest = async ({ tenant }: Storage) => {
    const found = await tenant(organizationId).findPage({
      ...{ kind: 'page', collection: 'form-submissions', select: ['submissionId'], where: [], after: null },
      order: { field: 'submittedAt', idField: 'submissionId', direction: 'descending' },
      limit: index + 1,
    })
    return found.rows.map(({ submissionId }) => String(submissionId))
  }
  const marked: RandomWrite = async (storage) =>
    storage.tenant(organizationId).markSubmissions(await newest(storage), { isRead: index % 3 > 0 })
  const remove: RandomWrite = async (storage) =>
    storage.organizationStore(organizationId).removeRows(
      'form-submissions',
      (await newest(storage)).slice(-1).map((id) => [id]),
    )
  const settings: RandomWrite = ({ administration }) =>
    administration.saveOrganization({
      ...newOrganization(organizationId, `Name ${draw}`),
      parentId: organizationId === organizationIds[0] ? null : organizationIds[0],
      phoneCountry: pick(random, ['US', 'DE']),
    })
  // Forms are imported and saved in turns.
  const isSaved = resource.collection === 'forms' && draw % 2 === 0
  const write = isSaved ? save : upsert
  const writes = Array.from({ length: 7 }, () => write)
  return pick(random, [submit, submit, ...writes, marked, remove, work, settings])
}

import type { ClaimedEntry, TenantOutbox } from '../../../ports/outbox.ts'
import type { NewSubmission } from '../../../ports/records.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { networkIn } from '../setting.ts'
import { portWith } from '../../support/runner/port-with.ts'
import { withOutbox } from './outbox.ts'
import { mutantsOf, replacing } from './replacing.ts'

/** Storage with other verdicts about submissions. */
function judging(judged: (of: NewSubmission) => NewSubmission['judged']) {
  return (storage: PlacedStorage): PlacedStorage => {
    const submissionsOf = (organizationId: string) => {
      const writer = storage.forms.submissionsOf(organizationId)
      return portWith(writer, {
        saveSubmission: (of) => writer.saveSubmission({ ...of, judged: judged(of) }),
      })
    }
    return { ...storage, forms: { find: (formId) => storage.forms.find(formId), submissionsOf } }
  }
}

/** What is compared with others, as a sign that is the same for all forms. */
function signsOfAllForms({ judged, answers }: NewSubmission): NewSubmission['judged'] {
  const message = String(answers.message)
  return (
    judged && {
      ...judged,
      signs: judged.signs.map((one) => ({ ...one, sign: networkIn(message) ?? message })),
    }
  )
}

/** Storage whose outbox hands out deliveries to webhooks in another way. */
const handingOut = (
  change: (entry: ClaimedEntry, outbox: TenantOutbox, token: string) => Promise<ClaimedEntry>,
) =>
  withOutbox((outbox) => ({
    claim: async (outboxId, lease, now) => {
      const entry = await outbox.claim(outboxId, lease, now)
      return entry?.kind === 'webhook_delivery' ? change(entry, outbox, lease.token) : entry
    },
  }))

/** Mistakes in what follows from a submission, or does not: verdicts, marks, and what webhooks are told. */
export const followingMutants = mutantsOf({
  'what is released after some time has its contact, but not its work': {
    statement: replacing(
      'and s.spam = 0',
      `and s.spam = 0 and s.submitted_at > strftime('%Y-%m-%dT%H:%M:%fZ', s.updated_at, '-20 seconds')`,
      'insert into outbox',
    ),
  },
  'a verdict counts what came to other forms': {
    storage: judging(signsOfAllForms),
    statement: (sql) => sql.replaceAll(/(?<=r\.organization_id = \?\d+) and r\.form_id = \?\d+/g, ''),
  },
  'a verdict comes one submission too late': {
    storage: judging(
      ({ judged }) =>
        judged && {
          ...judged,
          signs: judged.signs.map((one) => ({ ...one, earlierMax: one.earlierMax + 1 })),
        },
    ),
  },
  'what somebody says of a submission is noted, but its verdict stays': {
    statement: (sql) =>
      sql.replaceAll(
        /(?<=update form_submissions set spam[^]*?)and spam <> (\?\d+)/g,
        'and spam <> $1 and false',
      ),
  },
  'what was released is released again when its mark is taken back': {
    statement: replacing('held = null,', 'held = held,', 'update form_submissions as s'),
  },
  'a digest goes out at once': {
    statement: replacing(
      'ifnull(digest_at, due_at), due_at, due_at',
      'due_at, due_at, due_at',
      'insert into outbox',
    ),
  },
  'a digest names only the first submission': {
    statement: (sql) =>
      sql.replaceAll(/json_insert\((json_set\([^()]*\)), '\$\.first\[#\]', [\w.]+\)/g, '$1'),
  },
  'what comes over the bound is told by itself as well': {
    statement: (sql) =>
      sql.includes('insert into outbox')
        ? sql.replaceAll(/ where not ifnull\(\(select r\.told [^]*?, 0\)/g, '')
        : sql,
  },
  'the webhooks of a parent are told of its children': {
    statement: (sql) =>
      sql.replaceAll(
        /(?<=webhooks as w[^]*?)w\.organization_id = (\?\d+|s\.organization_id) and w\.is_on = 1/g,
        'w.organization_id in ($1, (select parent_id from organizations where organization_id = $1)) and w.is_on = 1',
      ),
  },
  'webhooks are told of spam': {
    statement: (sql) =>
      sql.replace(
        /(form_submissions as s where (?:(?!and s\.spam)[^])*)and s\.spam = 0([^]*) from s (cross join webhooks)/,
        `$1and s.spam = 0$2 from (select s.organization_id, s.submission_id, s.form_id, s.contact_id, s.updated_at,
          s.updated_at as due_at from $1) as s $3`,
      ),
  },
  'a delivery is dropped whose worker died': {
    storage: handingOut(async (entry, outbox, token) => {
      const { outboxId, attempts } = entry
      if (attempts > 1)
        await outbox.settle(outboxId, token, { kind: 'done', sends: [] }, '2026-03-01T00:00:00.000Z')
      return entry
    }),
  },
  'a webhook is told again under another id': {
    storage: handingOut(async (entry) => ({ ...entry, outboxId: `${entry.outboxId}-${entry.attempts}` })),
  },
  'a webhook is told a row as a process first read it': {
    storage: (storage, { memory }) => ({
      ...storage,
      tenant: (organizationId) => {
        const tenant = storage.tenant(organizationId)
        return portWith(tenant, {
          findMany: async (...given) => {
            const [, , keys, by] = given
            if (keys.length !== 1 || by !== undefined) return tenant.findMany(...given)
            const name = `${organizationId} ${keys.join()}`
            const rows = (memory.get(name) as Awaited<ReturnType<typeof tenant.findMany>> | undefined) ?? null
            if (rows !== null) return rows
            const read = await tenant.findMany(...given)
            memory.set(name, read)
            return read
          },
        })
      },
    }),
  },
  'a secret that was replaced signs no more': {
    storage: (storage) => ({
      ...storage,
      webhooks: (organizationId) => {
        const webhooks = storage.webhooks(organizationId)
        return portWith(webhooks, {
          rotate: (webhookId, secret, _until, version) =>
            webhooks.rotate(webhookId, secret, '2026-01-01T00:00:00.000Z', version),
        })
      },
    }),
  },
})

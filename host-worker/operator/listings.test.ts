import { beforeAll, describe, expect, test } from 'vitest'
import { form, organization, submission } from '../../adapters/conformance/fixtures.ts'
import type { TenantWebhooks } from '../../ports/outbox.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { scratchFiles, scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

// Every command that lists, with something to list.

const directory = scratchFolder()
const write = scratchFiles(directory)
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
let at: TestOperator

beforeAll(async () => {
  at = await openTestOperator()
  const { storage } = at.service
  for (const id of ['acme', 'zeta']) await storage.administration.saveOrganization(organization(id))
  const tenant = storage.tenant('acme')
  await tenant.upsert('forms', [form('form-1'), form('form-2')])
  const outbox = (outboxId: string) => [
    { outboxId, kind: 'notification_email' as const, payload: { to: 'a@example.com' } },
  ]
  for (const id of ['1', '2'])
    await tenant.saveSubmission(submission(`sub-${id}`, { outbox: outbox(`obx_${id}`) }))
  const send = { channel: 'email', from: 'Acme <acme@mail.example.com>', to: 'a@example.com' } as const
  await storage.sends.open('acme').record(
    ['1', '2'].map((id) => ({
      ...send,
      sendId: id,
      providerId: `re_${id}`,
      outcome: 'accepted' as const,
      error: null,
      at: `2026-03-01T10:00:0${id}.000Z`,
    })),
  )
  for (const label of [[], ['--label', 'Nightly  sync']])
    expect((await at.run('key', 'issue', '--org', 'acme', ...label)).code).toBe(0)
  for (const name of ['Saved 1', 'Saved 2']) {
    const saved = write('saved.json', { formId: 'saved', name, fields: [] })
    expect((await at.run('form', 'save', saved, '--org', 'acme')).code).toBe(0)
  }
  const automation = { name: 'Thanks', trigger: { type: 'form_submission', formId: 'saved' }, steps: [] }
  const automations = write(
    'automations.json',
    ['a-1', 'a-2'].map((automationId) => ({ automationId, ...automation })),
  )
  expect((await at.run('automation', 'save', automations, '--org', 'acme')).code).toBe(0)
  for (const name of ['One', 'Two']) {
    const sites = write(
      'sites.csv',
      `siteId,name,status,timezone,address,createdAt\ns1,${name},active,UTC,{},2026-01-01T00:00:00Z\n`,
    )
    expect((await at.run('import', 'sites', sites, '--org', 'acme')).code).toBe(0)
  }
  for (const role of [
    ['--org', 'acme', '--role', 'owner', '--name', 'Ada'],
    ['--role', 'support'],
  ])
    expect((await at.run('person', 'add', 'ada@example.com', ...role)).code).toBe(0)
  const at_ = at.service.clock.nowMs()
  const instant = (ms: number) => new Date(at_ + ms).toISOString()
  for (const sessionId of ['ses_1', 'ses_2'])
    await storage.people.openSession(
      {
        ...{ sessionId, by: { kind: 'person', person: 'ada@example.com' }, browser: 'Firefox' },
        ...{ createdAt: instant(0), lastSeenAt: instant(0), expiresAt: instant(3_600_000) },
      },
      sessionId,
    )
  const webhooks = storage.webhooks('acme')
  for (const id of ['wh_1', 'wh_2']) await listedWebhook(webhooks, id)
  for (const deliveryId of ['whd_1', 'whd_2']) {
    const at = '2026-03-01T10:00:00.000Z'
    const event = { deliveryId, webhookId: 'wh_1', event: 'test', subjectId: 'wh_1', at }
    const answer = { at, status: 500, durationMs: 7, text: 'No.', reason: 'It answered 500.' }
    await webhooks.announce(event, at)
    await storage.outbox.open('acme').claim(deliveryId, { token: 't', until: '9999' }, at)
    const delivery = { ...event, status: 'failed', answer } as const
    await storage.outbox.open('acme').settle(deliveryId, 't', { kind: 'done', sends: [], delivery }, at)
  }
  expect((await at.run('backup', 'run', '--to', directory)).code).toBe(0)
})

/** Stores a webhook. */
async function listedWebhook(webhooks: TenantWebhooks, webhookId: string) {
  const at = '2026-03-01T10:00:00.000Z'
  const made = { url: 'https://example.com/', events: ['contact.created'], formIds: null, secret: 's' }
  await webhooks.create({ ...made, webhookId, description: '', isOn: true, createdAt: at }, 20)
}

const ISO = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`

/** The command, the heads on a terminal, and the form of a line of a pipe; null: one JSON object. */
const listings: readonly (readonly [words: string, heads: string, line: string | null])[] = [
  ['org list', 'ORGANIZATION NAME', String.raw`(acme|zeta)  \S.*`],
  [
    'key list --org acme',
    'KEY ID STATE ISSUED AT REVOKED AT ROOT SECRET SCOPE ENDS AT LAST USED RATE LABEL ISSUED BY',
    String.raw`\S+  active  ${ISO}  -  current  all  -  -  -  (-|Nightly sync)  (root|\w{12})`,
  ],
  [
    'key list --operators',
    'KEY ID STATE ISSUED AT REVOKED AT ROOT SECRET ROLE ENDS AT LAST USED ISSUED BY OPERATOR',
    String.raw`\S+  active  ${ISO}  -  current  admin  -  \S+  root  \S.*`,
  ],
  [`backup list --to ${directory}`, 'NAME ORGANIZATION AT BYTES', String.raw`\S+  (acme|zeta)  ${ISO}  \d+`],
  ['imports --org acme', 'IMPORT KIND STATE READ WRITTEN CHANGED PROBLEMS OPENED AT TOUCHED AT', null],
  [
    'form list --org acme',
    'FORM STATE USE CHANGED AT PAGE NAME',
    String.raw`((form-\d|saved)  unpublished  (can be submitted here|must be hosted)  ${ISO}  -|(?<published>form-\d)  published  (must be hosted  ${ISO}  -|can be submitted here  ${ISO}  https?://\S+/f/\k<published>))  \S.*`,
  ],
  [
    'form versions saved --org acme',
    'VERSION SAVED AT SAVED BY NAME',
    String.raw`\d  ${ISO}  \S+( \S+)*  Saved \d`,
  ],
  [
    'person list',
    'EMAIL ROLE ORGANIZATION ADDED AT ADDED BY NAME',
    String.raw`ada@example.com  (owner|support)  (acme|-)  ${ISO}  \S+( \S+)*  (Ada|-)`,
  ],
  [
    'person sessions ada@example.com',
    'SESSION OPENED AT LAST USED ENDS AT BROWSER',
    String.raw`ses_\d  ${ISO}  ${ISO}  ${ISO}  Firefox`,
  ],
  [
    'automation list --org acme',
    'AUTOMATION STATUS FORM STEPS CHANGED AT NAME',
    String.raw`a-\d  draft  saved  0  ${ISO}  Thanks`,
  ],
  [
    'submissions list --org acme',
    'SUBMITTED AT SUBMISSION FORM CONTACT SPAM ANSWERS',
    String.raw`${ISO}  sub-\d  form-1  \S.*  \{.*\}`,
  ],
  [
    'outbox list',
    'ENTRY STATE ATTEMPTS ORGANIZATION KIND SUBMISSION NEXT REASON',
    String.raw`obx_\d  pending  attempts 0  acme  notification_email  sub-\d  next ${ISO}`,
  ],
  [
    'outbox summary',
    'ORGANIZATION WAITING DUE SINCE FAILED PROBLEMS REASON',
    String.raw`(acme|zeta)  \d  (-|${ISO})  0  \S+  -`,
  ],
  [
    'webhook list --org acme',
    'WEBHOOK STATE FAILING SINCE URL EVENTS DESCRIPTION',
    String.raw`acme:wh_\d  on  (-|${ISO})  https://example.com/  contact.created  -`,
  ],
  [
    'webhook deliveries acme:wh_1',
    'DELIVERY AT STATE EVENT ATTEMPTS STATUS MS ANSWER',
    String.raw`acme:whd_\d  ${ISO}  failed  test  attempts 1  status 500  ms 7  "No\."`,
  ],
  ['sends --org acme', 'AT CHANNEL OUTCOME TO FROM PROVIDER ID ERROR', null],
  ['audit --org acme', 'AT OPERATOR ACTION OUTCOME ORGANIZATION SUBJECT OPERATOR KEY', null],
]

describe.each(listings)('%s', (words, heads, form_) => {
  const args = words.split(' ')

  test('in a pipe, is stable', async () => {
    const { code, stdout, stderr } = await at.run(...args)
    expect([code, stderr]).toEqual([0, ''])
    const lines = linesOf(stdout)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      if (form_ === null) expect(Object.keys(JSON.parse(line) as object).length).toBeGreaterThan(5)
      else expect(line).toMatch(new RegExp(`^${form_}$`))
  })

  test('on a terminal, has heads above its columns', async () => {
    const { code, stdout } = await at.runOnTerminal(0, ...args)
    expect(code).toBe(0)
    const [head = '', ...rows] = linesOf(stdout)
    expect(head.replaceAll(/ +/g, ' ')).toBe(heads)
    // Each column begins at the same place in all lines, with two spaces before it.
    const starts = [...head.matchAll(/(?<= {2})\S/g)].map(({ index }) => index)
    for (const row of rows)
      for (const start of starts) expect(row.slice(start - 2).padEnd(2)).toMatch(/^ {2}/)
    expect(rows.length).toBe(linesOf((await at.run(...args)).stdout).length)
  })

  test('with --json, is one object a line, on a terminal too', async () => {
    const piped = await at.run(...args, '--json')
    for (const line of linesOf(piped.stdout)) expect(typeof JSON.parse(line)).toBe('object')
    expect(linesOf((await at.runOnTerminal(40, ...args, '--json')).stdout).length).toBe(
      linesOf(piped.stdout).length,
    )
  })

  test('has at most as many as --limit says', async () => {
    const all = linesOf((await at.run(...args)).stdout)
    const one = await at.run(...args, '--limit', '1')
    expect(one).toEqual({ code: 0, stdout: `${all[0] ?? ''}\n`, stderr: '' })
    expect(linesOf((await at.run(...args, '--limit', '1000000')).stdout)).toEqual(all)
    expect(linesOf((await at.run(...args, '--limit', '1', '--json')).stdout)).toHaveLength(1)
    for (const limit of ['0', '-1', '1.5', 'all', ' 1', '1e3', '']) {
      const { code, stdout } = await at.run(...args, `--limit=${limit}`)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    }
  })
})

test('person sessions --end ends them instead', async () => {
  expect(await at.run('person', 'sessions', 'ada@example.com', '--end')).toEqual({
    ...{ code: 0, stdout: '', stderr: 'Sessions ended: 2.\n' },
  })
  expect((await at.run('person', 'sessions', 'ada@example.com')).stdout).toBe('')
})

test('every command that lists is here', async () => {
  const { allCommands } = await import('./run-operator.ts')
  const listing = (await allCommands()).filter(({ flags }) => Object.hasOwn(flags, 'json'))
  const tested = listings.map(([words]) =>
    words.replace(/( saved| acme:wh_1)?( -.*)?$/, '').replace(/ \S+@.*/, ''),
  )
  expect(new Set(listing.map(({ words }) => words.join(' ')))).toEqual(new Set(tested))
})

import { beforeAll, expect, test } from 'vitest'
import { useConsoleRoom } from './console-room.ts'

/** What operators do in the console: keys, the outbox, sends, the audit. */
const room = useConsoleRoom()

/** A webhook that fails: nobody is at its address. */
beforeAll(async () => {
  await room.operator('org', 'create', '--id', 'unheard', '--name', 'Unheard Car Wash')
  await room.operator('webhook', 'create', 'http://127.0.0.1:1025/nobody', '--org', 'unheard')
  const hooks = (await room.operator('webhook', 'list', '--org', 'unheard')).split('\n')
  const [id = ''] = hooks.find((line) => line.includes('nobody'))?.split(' ') ?? []
  await room.operator('webhook', 'test', id)
  for (let tries = 0; tries < 60; tries += 1) {
    if ((await room.operator('outbox', 'summary', '--org', 'unheard')).includes('webhook_failing')) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error('The webhook does not fail')
}, 60_000)

/** The status of a read of the public interface with a key. */
async function statusWith(key: string): Promise<number> {
  const { status } = await fetch(`${room.service.origin}/api/v1/sites`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return status
}

test('a key is issued, shown once, used, rotated, revoked and refused', async () => {
  const { page, check } = await room.visit('/organizations/demo/keys', room.adminKey)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await dialog.getByLabel('Label').fill('night <b>sync</b>')
  await dialog.getByLabel('Requests a minute').fill('99999')
  await check()
  await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
  await dialog.getByText('must be a whole number of requests a minute').waitFor()
  await dialog.getByLabel('Requests a minute').fill('60')
  await dialog.getByLabel('Scope').selectOption('read')
  await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
  const shown = dialog.getByText(/^ck_live_demo_\w+$/)
  await shown.waitFor()
  const key = await shown.innerText()
  await check()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('night <b>sync</b>').waitFor()
  expect(await page.content()).not.toContain(key)
  expect(await statusWith(key)).toBe(200)

  await page.getByRole('button', { name: 'Rotate night <b>sync</b>' }).click()
  await dialog.getByLabel('Overlap').fill('soon')
  await dialog.getByRole('button', { name: 'Issue the successor' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Overlap').fill('1h')
  await dialog.getByRole('button', { name: 'Issue the successor' }).click()
  await shown.waitFor()
  const successor = await shown.innerText()
  expect(successor).not.toBe(key)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  // The one that was replaced has the only row that cannot be rotated again, and is the older one.
  const revoke = page.getByRole('button', { name: 'Revoke night <b>sync</b>' })
  await expect.poll(() => revoke.count()).toBe(2)
  await revoke.first().click()
  await check()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect.poll(() => revoke.count()).toBe(1)
  expect(await statusWith(key)).toBe(401)
  expect(await statusWith(successor)).toBe(200)
})

test('a support key sees the keys, and no button that it may not use', async () => {
  const key = await room.operator('key', 'issue', '--operator', 'helper', '--role', 'support')
  const { page, check } = await room.visit('/organizations/demo/keys', key)
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  expect(await page.getByRole('button', { name: /Issue|Rotate|Revoke/ }).count()).toBe(0)
  await check()
})

test('the audit is narrowed to an action and an organization', async () => {
  const issued = await fetch(`${room.service.origin}/operator/v1/organizations/demo/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${room.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'audited' }),
  })
  expect(issued.status).toBe(201)
  const { page, check } = await room.visit('/audit', room.adminKey)
  const table = page.getByRole('table', { name: 'Audit' })
  await page.getByLabel('Action').selectOption('key.issue')
  await page.getByLabel('Organization').fill('demo')
  await table.getByRole('cell', { name: 'Issue a key', exact: true }).first().waitFor()
  await check()
  await page.getByLabel('Organization').fill('nowhere')
  await page.getByText('There is no such record.').waitFor()
})

test('an operator key is issued, and revoked with those that descend from it', async () => {
  const { page, check } = await room.visit('/operator-keys', room.adminKey)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await dialog.getByLabel('Operator').fill('parent')
  await dialog.getByLabel('Role').selectOption('admin')
  await check()
  await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
  const shown = dialog.getByText(/^ok_live_\w+$/)
  await shown.waitFor()
  const parent = await shown.innerText()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  const issued = await fetch(`${room.service.origin}/operator/v1/operator-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${parent}`, 'content-type': 'application/json' },
    body: JSON.stringify({ operator: 'child', role: 'support' }),
  })
  const { key: child } = (await issued.json()) as { key: string }
  await page.reload()
  await page.getByText(/↳.*child/).waitFor()
  await check()
  await page.getByRole('button', { name: /^Revoke \w+ of parent$/ }).click()
  await dialog.getByLabel('Revoke all keys that descend from it too').check()
  await check()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The key and all that descend from it are revoked.').waitFor()
  for (const key of [parent, child]) {
    const { status } = await fetch(`${room.service.origin}/operator/v1/health`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(status).toBe(401)
  }
})

test('what waits and fails is shown, organizations with a problem first', async () => {
  const { page, check } = await room.visit('/deliveries', room.adminKey)
  // A webhook of which nobody is there fails.
  await page.getByRole('link', { name: 'Unheard Car Wash', exact: true }).waitFor()
  await page.getByText('Webhook fails').first().waitFor()
  await check()
  await page.getByLabel('Organizations').selectOption('All')
  await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(2)
  await page.getByLabel('Organizations').selectOption('With a problem')
  await page.getByRole('link', { name: 'Unheard Car Wash', exact: true }).click()
  await page.getByRole('heading', { name: 'Waiting and failed' }).waitFor()
  await page.getByRole('table', { name: 'Webhooks' }).getByText('Fails').waitFor()
  await check()
  await page.getByRole('link', { name: 'http://127.0.0.1' }).click()
  await page.getByRole('button', { name: 'Test', exact: true }).waitFor()
})

test('what cannot be read of what waits is said, and tried again', async () => {
  const { page, findings } = await room.visit('/deliveries', room.adminKey)
  await page.getByRole('link', { name: 'Unheard Car Wash', exact: true }).waitFor()
  const path = '**/operator/v1/outbox/summary**'
  const body = JSON.stringify({ error: 'Something failed here.' })
  await page.route(path, (route) => route.fulfill({ status: 500, contentType: 'application/json', body }))
  await page.getByRole('button', { name: 'Read again' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  await page.unroute(path)
  const none = JSON.stringify({ data: [], pagination: { limit: 100, hasMore: false, nextCursor: null } })
  await page.route(path, (route) => route.fulfill({ contentType: 'application/json', body: none }))
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No organization has a problem.').waitFor()
  // That an answer failed is no complaint here.
  expect(await findings()).toEqual([])
})

test('the pages for operators in every view', async () => {
  await room.inEveryView('keys', '/organizations/demo/keys', room.adminKey, 'Sparkle Car Wash')
  await room.inEveryView('organization-sends', '/organizations/demo/sends', room.adminKey, 'Sparkle Car Wash')
  await room.inEveryView(
    'organization-outbox',
    '/organizations/demo/outbox',
    room.adminKey,
    'Sparkle Car Wash',
  )
  await room.inEveryView(
    'organization-deliveries',
    '/organizations/unheard/deliveries',
    room.adminKey,
    'Unheard Car Wash',
  )
  await room.inEveryView('deliveries', '/deliveries', room.adminKey, 'Deliveries')
  await room.inEveryView('outbox', '/outbox', room.adminKey, 'Outbox')
  await room.inEveryView('audit', '/audit', room.adminKey, 'Audit')
  await room.inEveryView('operator-keys', '/operator-keys', room.adminKey, 'Operator keys')
  await room.inEveryView('platform-sends', '/platform-sends', room.adminKey, 'Platform sends')
}, 180_000)

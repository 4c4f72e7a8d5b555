import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useConsoleRoom } from './console-room.ts'

/** Webhooks in the console, with a receiver on this machine. */
const room = useConsoleRoom()
let receiver: Server
let url: string
const received: string[] = []
let status = 204

beforeAll(async () => {
  receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.writeHead(status).end(status === 204 ? '' : '<b>Back soon</b>'))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})
afterAll(() => {
  receiver.close()
})

test('a webhook is added, tested, looked at, sent again, rotated, switched off and deleted', async () => {
  const { page, check, screenshot } = await room.visit('/organizations/demo/webhooks', room.adminKey)
  const dialog = page.getByRole('dialog')
  await page.getByText('Nobody is told of anything yet.').waitFor()
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  await dialog.getByLabel('Address').fill('https://10.0.0.1/')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('must be the address of a server on the internet').waitFor()
  await check()
  await dialog.getByLabel('Address').fill(url)
  await dialog.getByLabel('contact.updated').uncheck()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const secret = await dialog.getByText(/^whsec_/).innerText()
  await check()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('link', { name: url }).click()
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  status = 503
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect.poll(() => received.length).toBeGreaterThan(0)
  const again = page.getByRole('button', { name: 'Read again' })
  const state = page.getByRole('table', { name: 'Deliveries' }).getByText(/^(?:waiting|delivered)$/)
  await expect
    .poll(async () => {
      await again.click()
      return state.count()
    })
    .toBe(1)
  await page.getByRole('button', { name: /^Look/ }).click()
  await dialog.getByText('<b>Back soon</b>').first().waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  status = 204
  await page.getByRole('button', { name: /^Resend demo/ }).click()
  await expect
    .poll(
      async () => {
        await again.click()
        return page.getByText('delivered', { exact: true }).count()
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  expect(new Set(received).size).toBe(1)
  await check()
  const before = received.length
  await page.getByRole('button', { name: 'Resend all since…' }).click()
  await dialog.getByLabel('Since').fill('2020-01-01T08:00')
  await check()
  await screenshot('console-webhook-resend')
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('1 delivery is sent again.').waitFor()
  await expect.poll(() => received.length).toBeGreaterThan(before)
  expect(new Set(received).size).toBe(1)
  await page.getByRole('button', { name: 'Resend all since…' }).click()
  await dialog.getByLabel('Since').fill('2099-01-01T08:00')
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('0 deliveries are sent again.').waitFor()
  await page.getByLabel('Only what did not succeed').check()
  await page.getByText('Nothing was delivered yet.').waitFor()
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  expect(await dialog.getByText(/^whsec_/).innerText()).not.toBe(secret)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('The secret before signs until').waitFor()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('button', { name: 'Switch on' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await check()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Nobody is told of anything yet.').waitFor()
})

test('a support key sees them, and may test and resend alone', async () => {
  const made = await room.operator(
    'webhook',
    'create',
    url,
    '--org',
    'demo',
    '--event',
    'contact.created',
    '--description',
    'CRM <b>',
  )
  expect(made).toMatch(/^whsec_/)
  const key = await room.operator('key', 'issue', '--operator', 'hooks', '--role', 'support')
  const { page, check } = await room.visit('/organizations/demo/webhooks', key)
  await page.getByText('CRM <b>').waitFor()
  expect(await page.getByRole('button', { name: 'Add a webhook' }).count()).toBe(0)
  await check()
  await page.getByRole('link', { name: url }).click()
  await page.getByRole('button', { name: 'Test', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Resend all since…' }).waitFor()
  for (const name of ['Switch off', 'Change', 'Rotate the secret', 'Delete'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  await check()
})

test('changing what a webhook is told of keeps the event of tests, which is no choice there', async () => {
  const events = ['--event', 'contact.created', '--event', 'test']
  await room.operator('webhook', 'create', url, '--org', 'demo', ...events, '--description', 'Tested')
  const list = await room.operator('webhook', 'list', '--org', 'demo', '--json')
  const rows = list.split('\n').filter((line) => line.includes('Tested'))
  const { webhookId } = JSON.parse(rows[0] ?? '') as { webhookId: string }
  const { page } = await room.visit(
    `/organizations/demo/webhooks/${encodeURIComponent(webhookId)}`,
    room.adminKey,
  )
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await dialog.getByLabel('contact.created').uncheck()
  await dialog.getByLabel('contact.updated').check()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { events: kept } = JSON.parse(await room.operator('webhook', 'show', webhookId)) as {
    events: string[]
  }
  expect(kept.toSorted()).toEqual(['contact.updated', 'test'])
  await room.operator('webhook', 'delete', webhookId)
})

test('the list and a webhook look right everywhere', async () => {
  const [id = ''] = (await room.operator('webhook', 'list', '--org', 'demo')).split(' ')
  await room.operator('webhook', 'test', id)
  await expect.poll(() => room.operator('webhook', 'deliveries', id)).toContain('delivered')
  await room.inEveryView('webhooks', '/organizations/demo/webhooks', room.adminKey, 'Sparkle Car Wash')
  const path = `/organizations/demo/webhooks/${encodeURIComponent(id)}`
  await room.inEveryView('webhook', path, room.adminKey, 'Sparkle Car Wash')
})

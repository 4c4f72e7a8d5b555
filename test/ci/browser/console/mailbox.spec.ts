import { createServer } from 'node:http'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { phone } from '../stage.ts'
import { useConsoleRoom, views } from './console-room.ts'

/** The sent messages, as a developer sees them in the local mailbox. They have a service alone, which sends no others. */
const room = useConsoleRoom({ isAlone: true })
let elsewhere: Awaited<ReturnType<typeof openElsewhere>>

beforeAll(async () => {
  elsewhere = await openElsewhere()
}, 240_000)
afterAll(async () => {
  await elsewhere.close()
})

/** A blue square. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="120"><rect width="100%" height="100%" fill="#36c"/>
  <circle cx="80" cy="60" r="40" fill="#fc3"/><script>document.title = 'picture'</script></svg>`

/** Another host, which serves a picture and records everything else that is requested from it. */
async function openElsewhere() {
  const asked: { readonly path: string; readonly referrer: string | undefined }[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ path: url, referrer: headers.referer })
    response
      .writeHead(200, { 'content-type': url.startsWith('/car') ? 'image/svg+xml' : 'text/html' })
      .end(PICTURE)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function send(path: string, body: object): Promise<void> {
  const { origin, demoKey } = room.service
  const response = await fetch(`${origin}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demoKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"success":true')])
}

const mailbox = () => `${room.service.origin}/mailbox`

/** The id of the newest message. */
async function newest(): Promise<string> {
  const listed = await fetch(mailbox(), { headers: { accept: 'application/json' } })
  const { messages } = (await listed.json()) as {
    readonly messages: readonly { readonly messageId: string }[]
  }
  return messages[0]?.messageId ?? ''
}

/** Everything by which an email might affect the page around it, the network or the reader. */
function hostileHtml(url: string): string {
  return `<title>x</title><base href="${url}/"><style>body { background: url(${url}/style) } h1 { color: #a00 }</style>
    <meta http-equiv="refresh" content="0;url=${url}/refresh">
    <h1>Dear customer</h1><p>Text of the email</p>
    <script>parent.document.title = 'script'; fetch('${url}/script')</script><script src="${url}/src.js"></script>
    <img src="${url}/tracker.png" onerror="parent.document.title = 'onerror'"><svg onload="fetch('${url}/svg')"></svg>
    <iframe src="${url}/frame"></iframe><object data="${url}/object"></object><link rel="stylesheet" href="${url}/link">
    <form action="${url}/form" target="_top"><button id="submit">Submit</button></form>
    <a id="top" target="_top" href="${url}/top">Top</a><a id="self" href="${url}/self">Self</a>
    <a id="popup" target="_blank" href="${url}/popup">Popup</a>
    <div style="position:fixed;inset:0;z-index:9;pointer-events:none;border:4px solid #a00">Over everything</div>`
}

test('an email is shown as a document that may do nothing', async () => {
  const attachments = [
    { filename: 'größe "1" <b>.html', content: btoa('<script>alert(1)</script>') },
    { filename: 'elsewhere.pdf', path: 'https://example.com/elsewhere.pdf' },
  ]
  const subject = `</h2><script>document.title = "subject"</script> \u202e😀${'w'.repeat(700)}`
  await send('email', { to: 'ada@example.com', subject, html: hostileHtml(elsewhere.url), attachments })
  const { page } = await room.visitPage('/mailbox')
  let dialogs = 0
  page.on('dialog', (dialog) => {
    dialogs += 1
    void dialog.dismiss()
  })
  await page.getByRole('link', { name: '</h2><script>' }).click()
  expect(await page.getByRole('heading', { level: 2 }).innerText()).toBe(subject)
  const email = page.locator('iframe').contentFrame()
  expect(await email.locator('h1').innerText()).toBe('Dear customer')
  expect(await email.locator('h1').evaluate((heading) => getComputedStyle(heading).color)).toBe(
    'rgb(170, 0, 0)',
  )
  const place = page.url()
  for (const id of ['submit', 'self', 'popup', 'top'])
    await email
      .locator(`#${id}`)
      .click({ timeout: 1_000 })
      .catch(() => undefined)
  await page.getByRole('button', { name: 'Text' }).click()
  await page.getByRole('region', { name: 'Text' }).getByText('Text of the email').waitFor()
  await page.getByRole('button', { name: 'Source' }).click()
  await page.getByRole('region', { name: 'Source' }).getByText("parent.document.title = 'script'").waitFor()
  expect([await page.title(), page.url(), page.context().pages().length]).toEqual([
    ...['Mailbox – Console', place, 1],
  ])
  expect([dialogs, elsewhere.asked]).toEqual([0, []])

  expect(await page.locator('dd li').allInnerTexts()).toEqual([
    'größe "1" <b>.html, 25 bytes',
    'elsewhere.pdf, from https://example.com/elsewhere.pdf',
  ])
  const downloading = page.waitForEvent('download')
  await page.locator('dd li a').click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^größe _1_ _b_\.html$/)
  expect(await readFile(await download.path(), 'utf8')).toBe('<script>alert(1)</script>')

  for (const { name, ...options } of views)
    for (const path of ['/mailbox', `/mailbox?message=${await newest()}`]) {
      const seen = await room.visitPage(path, options)
      await seen.page.getByRole('heading', { level: 1, name: 'Mailbox' }).waitFor()
      if (path !== '/mailbox') await seen.page.locator('iframe').contentFrame().locator('h1').waitFor()
      await seen.screenshot(`mailbox-${path.length > 9 ? 'email' : 'list'}-${name}`)
      // The browser reports what the policy of the email refuses to it, requests too.
      const complaints = seen.complaints.filter(
        (one) => !/Content Security Policy|sandbox|^request to/.test(one),
      )
      expect([await seen.findings(), complaints, await seen.overflowPx()]).toEqual([[], [], 0])
      await seen.close()
    }
  expect(elsewhere.asked).toEqual([])
}, 120_000)

test('the picture of an MMS is shown, without telling its host from where', async () => {
  const url = `${elsewhere.url}/car.svg?"><script>`
  await send('message', { to: '2125550123', body: 'Your <b>car</b>\nis ready 🚗', attachments: [{ url }] })
  const { page, screenshot, findings } = await room.visitPage(`/mailbox?message=${await newest()}`, phone)
  const picture = page.locator('figure img')
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(160)
  expect(await page.getByRole('region', { name: 'Text' }).innerText()).toBe('Your <b>car</b>\nis ready 🚗')
  const pictures = elsewhere.asked.filter(({ path }) => path.startsWith('/car'))
  expect(pictures.length).toBeGreaterThan(0)
  expect(pictures.every(({ referrer }) => referrer === undefined)).toBe(true)
  await page.getByRole('button', { name: 'Source' }).click()
  await page.getByRole('region', { name: 'Source' }).getByText('"channel": "mms"').waitFor()
  await screenshot('mailbox-mms-phone')
  expect(await findings()).toEqual([])
})

test('an email that is opened by itself may do nothing either', async () => {
  await send('email', {
    to: 'ada@example.com',
    subject: 'Alone',
    html: '<script>document.title = 1</script><p>Alone</p>',
  })
  const { page } = await room.visitPage(`/mailbox/html?id=${await newest()}`)
  expect([await page.title(), await page.locator('p').innerText()]).toEqual(['', 'Alone'])
  const storage = page.evaluate(() => window.localStorage.length)
  await expect(storage).rejects.toThrow(/sandboxed/)
})

test('messages appear by themselves, are found, and are deleted by keyboard', async () => {
  await send('email', { to: 'ada@example.com', subject: 'Before', html: '<p>Before</p>' })
  const { page, check } = await room.visitPage('/mailbox')
  await page.getByRole('link', { name: 'Before' }).waitFor()
  await send('email', { to: 'grace@example.com', subject: 'By itself', html: '<p>Later 100%</p>' })
  const link = page.getByRole('link', { name: 'By itself' })
  await link.waitFor()
  await page.getByLabel('Search').focus()
  await page.keyboard.type('GRACE@', { delay: 20 })
  await page.waitForURL(/search=GRACE%40/)
  await expect.poll(() => page.getByRole('listitem').count()).toBe(1)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('h2:focus').allInnerTexts()).toEqual(['By itself'])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('No message has that in it.').waitFor()
  await check()
  await page.getByLabel('Search').fill('')
  await page.getByRole('link', { name: 'Before' }).waitFor()
  await page.getByRole('button', { name: 'Delete all' }).click()
  const dialog = page.getByRole('dialog')
  await check()
  await dialog.getByRole('button', { name: 'Delete all' }).click()
  await page.getByText('Nothing was sent yet.').waitFor()
  await check()
  expect(await newest()).toBe('')
})

test('another site cannot delete messages', async () => {
  const answered = await fetch(mailbox(), {
    method: 'OPTIONS',
    headers: { origin: elsewhere.url, 'access-control-request-method': 'DELETE' },
  })
  expect([answered.ok, answered.headers.get('access-control-allow-origin')]).toEqual([false, null])
})

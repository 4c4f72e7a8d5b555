import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../support/services/started-service.ts'
import { useConsoleRoom, views } from './console-room.ts'

/** What follows a submission, made in the console beside the form. */
const room = useConsoleRoom()

const FORM = {
  formId: 'after-wash',
  name: 'After the rinse',
  isPublished: true,
  fields: [
    { id: 'firstName', type: 'short_text', label: 'First name', contactField: 'firstName' },
    { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    { id: 'phone', type: 'phone', label: 'Phone', contactField: 'phone' },
    {
      id: 'service',
      type: 'single_choice',
      label: 'Service',
      options: [{ value: 'w', label: 'Wash & "dry"' }],
    },
  ],
}

interface Message {
  readonly to: string
  readonly subject?: string
  readonly html?: string
  readonly text?: string
  readonly body?: string
}

async function mailbox(): Promise<readonly Message[]> {
  const response = await fetch(`${room.service.origin}/mailbox`, { headers: { accept: 'application/json' } })
  return ((await response.json()) as { readonly messages: readonly Message[] }).messages
}

/** Waits for a message, at most for half a minute. */
async function messageTo(to: string): Promise<Message> {
  for (let turn = 0; turn < 150; turn += 1) {
    const found = (await mailbox()).find((message) => message.to === to)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`There is no message to ${to}`)
}

async function submit(email: string): Promise<void> {
  const response = await fetch(`${room.service.origin}/api/forms/after-wash/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      _gotcha: '',
      firstName: '<b>Ada</b>',
      email,
      phone: '212 555 0188',
      service: 'w',
    }),
  })
  expect(response.status).toBe(200)
}

test('an email, a text message and a tag are made, seen, tried and paused, and follow a submission', async () => {
  const file = join(scratchDirectory(), 'form.json')
  writeFileSync(file, JSON.stringify(FORM))
  await room.operator('form', 'save', file, '--org', 'demo')
  const { page, check, screenshot, complaints } = await room.visit('/organizations/demo/forms', room.adminKey)
  await page.getByRole('link', { name: 'After the rinse' }).click()
  await page.getByRole('link', { name: 'After a submission' }).click()
  await page.getByText('Nothing follows a submission yet').waitFor()
  await page.getByText('At most 5 messages a day go to one address or number').waitFor()
  await check()
  await page.getByRole('button', { name: 'Add what follows' }).click()

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const label = (name: string) => page.getByLabel(name, { exact: true })
  await label('New step').selectOption('Add a tag')
  await button('Add the step').click()
  await label('Tag of step 1').fill('washed')
  await label('New step').selectOption('Email to the visitor')
  await button('Add the step').click()
  await button('Move step 2 up').click()
  await label('Subject of step 1').fill('Hi , thank you')
  for (let step = 0; step < ', thank you'.length; step += 1) await page.keyboard.press('ArrowLeft')
  await label('Insert an answer into the subject of step 1').focus()
  await label('Insert an answer into the subject of step 1').selectOption('First name')
  expect(await label('Subject of step 1').inputValue()).toBe('Hi {{firstName}}, thank you')
  await label('Text (HTML) of step 1').fill('<p>You chose {{servise}}</p>')
  await page
    .getByText('has {{servise}}, and the form has no field of that id. Did you mean {{service}}?')
    .waitFor()
  await check()
  await button('Save and begin').click()
  await page
    .getByRole('alert')
    .filter({ hasText: 'Nothing was saved. Automation 1: steps[0].html' })
    .waitFor()
  await label('Text (HTML) of step 1').fill('<p>You chose {{service}}, {{firstName}}</p>')
  await page.frameLocator('iframe').getByText('You chose Wash & "dry", Ada').waitFor()
  await page.getByText('Hi Ada, thank you').waitFor()
  await label('New step').selectOption('Text message to the visitor')
  await button('Add the step').click()
  await label('Text of step 3').fill('Thanks, {{firstName}}')

  await label('Send a test of step 1 to the address').fill('me@example.com')
  await button('Send a test of step 1').click()
  await page.getByText('Sent to me@example.com, marked [Test].').waitFor()
  expect((await messageTo('me@example.com')).subject).toBe('[Test] Hi Ada, thank you')
  await label('Send a test of step 3 to the number').fill('212 555 0199')
  await button('Send a test of step 3').click()
  await page.getByText('Sent to +12125550199, marked [Test].').waitFor()
  for (const { name, ...how } of views) {
    await page.setViewportSize(how.viewport)
    await page.emulateMedia({ colorScheme: how.colorScheme })
    await screenshot(`console-after-${name}`)
    await check()
  }
  await page.setViewportSize(views[0].viewport)
  await page.emulateMedia({ colorScheme: 'light' })
  await button('Save and begin').click()
  await page.locator('.toast').filter({ hasText: 'Saved.' }).last().waitFor()
  await page.getByText('1. email, 2. tag, 3. text message').waitFor()

  await submit('visitor@example.com')
  const mail = await messageTo('visitor@example.com')
  expect([mail.subject, mail.html]).toEqual([
    'Hi <b>Ada</b>, thank you',
    '<p>You chose Wash &amp; &quot;dry&quot;, &lt;b&gt;Ada&lt;/b&gt;</p>',
  ])
  await messageTo('+12125550188')

  // Somebody else has paused it meanwhile: the page says so, and shows it.
  await room.operator('automation', 'pause', 'after-wash-after', '--org', 'demo')
  await button('Pause Thank you').click()
  await page.getByText('Somebody else changed this after you opened it').waitFor()
  await button('Resume Thank you').click()
  await page.getByText('active', { exact: true }).waitFor()
  await button('Pause Thank you').click()
  await page.getByText('paused', { exact: true }).waitFor()
  const shown = await room.operator('automation', 'show', 'after-wash-after', '--org', 'demo')
  expect(JSON.parse(shown)).toMatchObject({
    name: 'Thank you',
    status: 'paused',
    steps: [{ type: 'send_email', to: 'contact' }, { type: 'add_tag', tag: 'washed' }, { type: 'send_sms' }],
  })
  await screenshot('console-after-paused')
  await check()

  // Somebody else is faster: nothing is lost on either side.
  await button('Edit Thank you').click()
  await label('Tag of step 2').fill('mine')
  const other = join(scratchDirectory(), 'automation.json')
  writeFileSync(other, JSON.stringify({ ...(JSON.parse(shown) as object), name: 'Theirs' }))
  await room.operator('automation', 'save', other, '--org', 'demo')
  await button('Save').click()
  await page.getByRole('dialog').getByText('Theirs').waitFor()
  await check()
  await button('Keep mine, and look at it again').click()
  expect(await label('Tag of step 2').inputValue()).toBe('mine')
  await button('Save').click()
  await page.locator('.toast').filter({ hasText: 'Saved.' }).last().waitFor()
  const kept = JSON.parse(
    await room.operator('automation', 'show', 'after-wash-after', '--org', 'demo'),
  ) as object
  expect(kept).toMatchObject({ name: 'Thank you', status: 'paused' })
  expect(JSON.stringify(kept)).toContain('"mine"')

  // The preview runs nothing.
  await button('Close Thank you').click()
  await button('Edit Thank you').click()
  await label('Text (HTML) of step 1').fill('<script>parent.document.title = "taken"</script><p>Harmless</p>')
  await page.frameLocator('iframe').getByText('Harmless').waitFor()
  expect(await page.title()).not.toBe('taken')
  expect(complaints).toEqual([expect.stringMatching(/^Blocked script execution in 'about:srcdoc'/)])
  await page.close()
}, 240_000)

test('whoever may not change it sees what follows', async () => {
  const key = (await room.operator('key', 'issue', '--operator', 'Sue', '--role', 'support')).trim()
  const { page, check } = await room.visit('/organizations/demo/forms/demo-damage-claim/after', key)
  await page.getByText('1. tag, 2. list, 3. email').waitFor()
  expect(await page.getByRole('button', { name: /^(Pause|Add)/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Look at Damage claim received' }).click()
  await page.getByText('"demo-claims"').waitFor()
  await check()
  await page.close()
})

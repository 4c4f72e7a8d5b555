import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../support/services/started-service.ts'
import { serveSite } from '../stage.ts'
import { useConsoleRoom, views, type ConsoleVisit } from './console-room.ts'
import { choose, press, type } from './keyboard.ts'

/** Forms made, changed and put on a site in the console. */
const room = useConsoleRoom()

const button = ({ page }: ConsoleVisit, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true })
const labelled = ({ page }: ConsoleVisit, name: string) =>
  page.locator('.editor > :first-child').getByLabel(name, { exact: true })

async function addField(visit: ConsoleVisit, typeName: string, label: string): Promise<void> {
  const { page } = visit
  await choose(page, labelled(visit, 'New field'), typeName)
  await press(page, button(visit, 'Add the field'))
  // The made-up label is selected, so a person simply types.
  await page.keyboard.type(label)
  expect(await labelled(visit, 'Label').inputValue()).toBe(label)
}

test('from the link that signs in to a form made by keyboard, put on a page of another origin, and submitted', async () => {
  const visit = await room.visit('', room.adminKey)
  const { page, check, screenshot } = visit
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  await press(page, link('Organizations').first())
  await press(page, link('Sparkle Car Wash'))
  await press(page, link('Forms'))
  await press(page, link('New form'))
  await type(page, labelled(visit, 'Name'), 'After the wash')
  await addField(visit, 'Email', 'Your email')
  await press(page, labelled(visit, 'Required'), 'Space')
  await addField(visit, 'Single', 'How was it?')
  await type(page, labelled(visit, 'Option 1'), 'Good')
  await type(page, labelled(visit, 'Option 2'), 'Bad')
  await addField(visit, 'Long', 'What went wrong?')
  await press(page, button(visit, 'Add a condition'))
  expect(await labelled(visit, 'Answer to').inputValue()).toBe('how_was_it')
  await choose(page, labelled(visit, 'Compared by'), 'equals')
  await choose(page, labelled(visit, 'Value'), 'Bad')
  await check()

  // The preview is the form client on what is not saved.
  const preview = page.locator('.preview')
  expect(await preview.getByLabel('What went wrong?').isVisible()).toBe(false)
  await press(page, preview.getByLabel('Good'), 'ArrowDown')
  await preview.getByLabel('What went wrong?').waitFor()
  await check()
  await screenshot('console-editor-made')

  await page.getByText('There are changes that are not saved.').waitFor()
  await press(page, button(visit, 'Save and publish'))
  await page.getByText('Saved. The form takes submissions.').waitFor()
  await page.waitForURL(/\/forms\/after_the_wash\/edit$/)
  await page.getByText('All changes are saved.').waitFor()
  await page.getByRole('heading', { level: 2, name: 'After the wash', exact: true }).waitFor()
  await page.locator('.form-title').getByText('published', { exact: true }).waitFor()
  await press(page, link('All forms'))
  await press(page, button(visit, 'Share After the wash'))
  await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
  await check()
  await screenshot('console-share')
  await press(page, button(visit, 'Close'))
  await press(page, link('After the wash'))
  await press(page, link('Put it on your site'))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await press(page, button(visit, 'Copy the page'))
  await page.getByText('Copied the page.').waitFor()
  const html = await page.evaluate(() => navigator.clipboard.readText())

  const site = await serveSite(() => ({ type: 'text/html', body: html }))
  const visitor = await page.context().newPage()
  await visitor.goto(site.url)
  await visitor.getByLabel('Your email').fill('ada@example.com')
  await visitor.getByLabel('Bad').check()
  await visitor.getByLabel('What went wrong?').fill('Wax on the mirror')
  await visitor.getByRole('button', { name: 'Send' }).click()
  await visitor.getByText('Thank you').waitFor()
  await visitor.close()
  site.close()

  await press(page, link('Submissions').last())
  await page.getByRole('row').filter({ hasText: 'Wax on the mirror' }).waitFor()
  await check()
  const downloading = page.waitForEvent('download')
  await press(page, button(visit, 'Download CSV'))
  const download = await downloading
  expect(download.suggestedFilename()).toBe('after_the_wash-submissions.csv')
  const csv = readFileSync(await download.path(), 'utf8')
  const command = await room.operator(
    'submissions',
    'list',
    '--org',
    'demo',
    '--form',
    'after_the_wash',
    '--csv',
    '--labels',
  )
  expect(csv.trim()).toBe(command.trim())
  expect(csv).toMatch(
    /^\uFEFFsubmissionId,submittedAt,formId,contactId,Your email,How was it\?,What went wrong\?\r\n/,
  )
  expect(csv).toContain(',ada@example.com,Bad,Wax on the mirror')
  await visit.close()
}, 240_000)

const DAMAGE = '/organizations/demo/forms/demo-damage-claim'

test('the editor, its problems, its source and the page for a site in every view', async () => {
  for (const { name, ...options } of views) {
    const visit = await room.visit(`${DAMAGE}/edit`, room.adminKey, options)
    const { page, check, screenshot, close } = visit
    await page.getByRole('button', { name: /^What was damaged\?/ }).click()
    await labelled(visit, 'Value 2').fill('mirror')
    await labelled(visit, 'Value 2').blur()
    const sentence = '“What was damaged?”: two of its options have the same value.'
    await page.locator('.option-row').getByText(sentence).waitFor()
    await page.getByText('This is the form as it was before').waitFor()
    await check()
    await screenshot(`console-editor-problem-${name}`)
    await button(visit, 'Show the source').click()
    await page.getByRole('button', { name: sentence }).click()
    const selected = () =>
      page
        .locator('textarea.source')
        .evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd))
    await expect.poll(selected).toBe('"mirror"')
    await labelled(visit, 'The form as JSON').fill('{ "formId": "a", }')
    await page.getByText(/^Line 1, column \d+: /).waitFor()
    await check()
    await screenshot(`console-editor-source-${name}`)
    await close()
  }
  await room.inEveryView('form-site', `${DAMAGE}/site`, room.adminKey, 'Sparkle Car Wash')
}, 180_000)

test('fields change places by drag and by keys, which is said; put back, there is nothing to save', async () => {
  const visit = await room.visit(`${DAMAGE}/edit`, room.adminKey)
  const { page, close } = visit
  const names = () => page.locator('.field-name').allInnerTexts()
  const before = await names()
  const handle = (name: string) =>
    page.getByRole('button', { name: `Move ${name}: drag it, or press the arrow keys` })
  await handle('What was damaged?').scrollIntoViewIfNeeded()
  const from = await handle('Email').boundingBox()
  const to = await handle('What was damaged?').boundingBox()
  if (from === null || to === null) throw new Error('There is nothing to drag')
  await page.mouse.move(from.x + 5, from.y + 5)
  await page.mouse.down()
  await page.mouse.move(to.x + 5, to.y + to.height - 2, { steps: 5 })
  await page.mouse.up()
  await page.getByText('Email is field 3 of 8 now.').waitFor()
  expect(await names()).toEqual([before[1], before[2], before[0], ...before.slice(3)])
  await page.getByText('There are changes that are not saved.').waitFor()
  await press(page, handle('Email'), 'ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.getByText('Email is field 1 of 8 now.').waitFor()
  expect(await names()).toEqual(before)
  await page.getByText('All changes are saved.').waitFor()
  await close()
})

/** A form with settings that have no effect, null, and a type that only the hosted page has. */
const STRANGE = {
  formId: 'strange',
  name: 'Strange \u202e<b>',
  isPublished: true,
  notificationEmails: ['office@example.com'],
  successTitle: null,
  fields: [
    { type: 'signature', id: 'sign', label: 'Sign', required: true },
    {
      id: 'a',
      type: 'heading',
      label: '<script>alert(1)</script>',
      placeholder: 'none',
      min: 3,
      visibleWhen: null,
    },
    {
      id: 'n',
      type: 'number',
      label: 'N',
      min: 0.5,
      visibleWhen: { match: 'any', rules: [{ field: 'sign', operator: 'is_empty', value: [] }] },
    },
  ],
}

test('a form that the editor cannot express wholly is saved as it was; one changed meanwhile is not overwritten unasked', async () => {
  const file = join(scratchDirectory(), 'strange.json')
  writeFileSync(file, JSON.stringify(STRANGE))
  await room.operator('import', 'forms', '--org', 'demo', file)
  const stored = () => room.operator('form', 'show', 'strange', '--org', 'demo')
  const before = await stored()
  const visit = await room.visit('/organizations/demo/forms/strange/edit', room.adminKey)
  const { page, check, close } = visit
  await button(visit, 'Save').click()
  await page.getByText(/^Saved, but it cannot be published: Field "sign" is of type "signature"/).waitFor()
  expect(await stored()).toBe(before)
  await check()

  writeFileSync(file, JSON.stringify({ ...STRANGE, name: 'Theirs' }))
  await room.operator('form', 'save', '--unpublish', '--org', 'demo', file)
  await labelled(visit, 'Name').fill('Mine')
  const dialog = page.getByRole('dialog')
  const saveOffline = async () => {
    await button(visit, 'Save').click()
    await dialog.getByText('This takes the form offline').waitFor()
    await check()
    await dialog.getByRole('button', { name: 'Save and take it offline' }).click()
  }
  await saveOffline()
  await dialog.getByText('Somebody else changed this form').waitFor()
  await dialog.getByText(/Changed there: .*name/).waitFor()
  await dialog.getByText('The form as it is now').click()
  await dialog.getByText('"Theirs"').waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await stored()).toContain('"Theirs"')
  await saveOffline()
  await dialog.getByRole('button', { name: 'Save over it' }).click()
  await page.getByText('All changes are saved.').waitFor()
  expect(await stored()).toContain('"Mine"')
  await close()
})

test('a removed field comes back, a live form stays up, and an earlier version is restored', async () => {
  const file = join(scratchDirectory(), 'live.json')
  const colour = { id: 'colour', type: 'short_text', label: 'Colour' }
  const when = { match: 'all', rules: [{ field: 'colour', operator: 'is_not_empty' }] }
  const why = { id: 'why', type: 'short_text', label: 'Why?', visibleWhen: when }
  for (const name of ['First name', 'Live']) {
    writeFileSync(file, JSON.stringify({ formId: 'live', name, isPublished: true, fields: [colour, why] }))
    await room.operator('form', 'save', '--org', 'demo', file)
  }
  const stored = async () =>
    JSON.parse(await room.operator('form', 'show', 'live', '--org', 'demo')) as {
      isPublished: boolean
      name: string
    }
  const visit = await room.visit('/organizations/demo/forms/live/edit', room.adminKey)
  const { page, check, screenshot, close } = visit
  await page.getByRole('button', { name: 'Remove Colour' }).click()
  await page.getByText('“Why?”: the question that this depends on was removed.').first().waitFor()
  await button(visit, 'Save').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This takes the form offline').waitFor()
  await check()
  await screenshot('console-editor-offline')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await stored()).toMatchObject({ isPublished: true, name: 'Live' })
  await page.getByRole('button', { name: 'Bring back “Colour”' }).click()
  await page.getByText('All changes are saved.').waitFor()
  await page.getByRole('link', { name: 'Versions', exact: true }).click()
  await page.getByRole('button', { name: 'Look at version 1' }).click()
  await dialog.getByText('"First name"').waitFor()
  await check()
  await screenshot('console-form-version')
  // Somebody saves it meanwhile: that is not replaced unseen.
  await room.operator('form', 'save', '--org', 'demo', file)
  writeFileSync(file, JSON.stringify({ formId: 'live', name: 'Theirs', isPublished: true, fields: [colour] }))
  await room.operator('form', 'save', '--org', 'demo', file)
  await dialog.getByRole('button', { name: 'Restore it' }).click()
  await dialog.getByText('Somebody else changed this after you opened it').waitFor()
  expect(await stored()).toMatchObject({ name: 'Theirs' })
  await check()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Look at version 3' }).waitFor()
  await page.getByRole('button', { name: 'Look at version 1' }).click()
  await dialog.getByRole('button', { name: 'Restore it' }).click()
  await page.getByRole('button', { name: 'Look at version 4' }).waitFor()
  expect(await stored()).toMatchObject({ isPublished: true, name: 'First name' })
  await close()
  await room.inEveryView(
    'form-versions',
    '/organizations/demo/forms/live/versions',
    room.adminKey,
    'Sparkle Car Wash',
  )
})

test('leaving asks first while something is not saved, and a support key only looks', async () => {
  const visit = await room.visit('/organizations/demo/forms', room.adminKey)
  const { page, close } = visit
  await page.getByRole('link', { name: 'Damage claim' }).click()
  await labelled(visit, 'Name').fill('Other')
  const asked: string[] = []
  let mayLeave = false
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    void (mayLeave ? dialog.accept() : dialog.dismiss())
  })
  await page.getByRole('link', { name: 'All forms' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.goBack()
  await expect.poll(() => asked.length).toBe(3)
  expect(await labelled(visit, 'Name').inputValue()).toBe('Other')
  expect(page.url()).toMatch(/demo-damage-claim\/edit$/)
  mayLeave = true
  await page.getByRole('link', { name: 'All forms' }).click()
  await page.getByRole('table', { name: 'Forms' }).waitFor()
  expect(asked).toHaveLength(4)
  await close()

  const key = await room.operator('key', 'issue', '--operator', 'looks', '--role', 'support')
  const seen = await room.visit(`${DAMAGE}/edit`, key)
  await seen.page.getByText('"damageType"').first().waitFor()
  expect(await seen.page.getByRole('button', { name: /Save|ublish|Remove/ }).count()).toBe(0)
  await seen.check()
  await seen.close()
})

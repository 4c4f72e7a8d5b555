import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { useConsoleRoom, views } from './console-room.ts'

/** Lists of contacts as people have them, imported by the page in every view. */
const room = useConsoleRoom()

const windows1252 = (text: string) => Buffer.from(text, 'latin1')

async function organization(id: string): Promise<() => Promise<readonly Record<string, unknown>[]>> {
  await room.operator('org', 'create', '--id', id, '--name', id)
  const key = (await room.operator('key', 'issue', '--org', id)).trim()
  return async () => {
    const response = await fetch(`${room.service.origin}/api/v1/contacts`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const body = (await response.json()) as { readonly data?: readonly Record<string, unknown>[] }
    if (body.data === undefined) throw new Error(JSON.stringify(body))
    return body.data
  }
}

test.each(views)('a list in Windows-1252 with semicolons, and rows to be mended: $name', async (view) => {
  const id = `latin-${view.name}`
  const contacts = await organization(id)
  const { page, check, screenshot } = await room.visit(`/organizations/${id}/imports`, room.adminKey, view)
  await page.getByLabel('What the rows are').selectOption('contacts')
  const rows = [
    'Prénom;Nom;Courriel;Téléphone',
    'Hélène;Dupré;helene@example.com;+33 1 42 68 53 00',
    'Zoë;"Lefèvre ""Z""";zoe@example.com;',
    ';;;',
    'Hélène;;HELENE@example.com;',
    'Noël;Sans adresse;pas une adresse;',
  ]
  const buffer = windows1252(rows.join('\r\n'))
  await page.getByLabel('Choose a file').setInputFiles({ name: 'clients.csv', mimeType: 'text/csv', buffer })
  await page
    .getByText('is not UTF-8 and is read as Windows-1252, which gives "Prénom" in line 1. If that is wrong')
    .waitFor()
  await page.getByText('Its cells are divided by a semicolon.').waitFor()
  const sheet = page.getByRole('region', { name: 'The columns and first rows of the file' })
  await sheet.getByRole('cell', { name: 'Lefèvre "Z"' }).waitFor()
  expect(await sheet.getByLabel('Courriel').inputValue()).toBe('email')
  await check()
  await screenshot(`console-import-latin-${view.name}`)

  // Who decides otherwise sees at once what comes of it.
  await page.getByLabel('Encoding of its letters').selectOption('utf-8')
  await page.getByText('Line 1 is not in UTF-8.').waitFor()
  await check()
  await page.getByLabel('Encoding of its letters').selectOption('')

  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Nothing was imported: the file has a problem.').waitFor()
  await page.getByText('Noël;Sans adresse;pas une adresse;').waitFor()
  await check()
  await page.getByRole('button', { name: 'Skip these rows, and check the others' }).click()
  await page
    .getByText(
      'Rows: 3 read: 2 would be new, 0 changed, 0 unchanged, 1 merged, 1 empty row skipped, 1 with problems skipped. Nothing was imported',
    )
    .waitFor()
  expect(await contacts()).toEqual([])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page
    .getByText(
      'Rows: 3 read: 2 new, 0 changed, 0 unchanged, 1 merged, 1 empty row skipped, 1 with problems skipped.',
    )
    .waitFor()
  await check()
  await screenshot(`console-import-skipped-${view.name}`)
  const [problems] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the rows with problems' }).click(),
  ])
  expect(problems.suggestedFilename()).toBe('clients.problems.csv')
  expect(readFileSync(await problems.path(), 'utf8')).toMatch(
    /^\ufeffPrénom;Nom;Courriel;Téléphone;problem\r\nNoël;Sans adresse;pas une adresse;;"?Courriel must be/,
  )
  const names = (await contacts()).map(
    ({ firstName, lastName }) => `${String(firstName)} ${String(lastName)}`,
  )
  expect(names.sort()).toEqual(['Hélène Dupré', 'Zoë Lefèvre "Z"'])
})

test.each(views)('two columns for one name, and birthdays kept as attributes: $name', async (view) => {
  const id = `names-${view.name}`
  const contacts = await organization(id)
  const { page, check, screenshot } = await room.visit(`/organizations/${id}/imports`, room.adminKey, view)
  await page.getByLabel('What the rows are').selectOption('contacts')
  const long = 'How did you hear of us, and what did you like best when you first came to visit?'
  const rows = [
    `First Name,Vorname,E-mail,Birthday,Favourite <b>car</b>,"${long}"`,
    'Ada,Augusta,ada@example.com,10.12.1815,"The ""Engine""",By a friend',
    'Bo,,bo@example.com,,,',
  ]
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) })
  await page.getByText('means firstName, as column 1 (First Name) does. Keep one of them').waitFor()
  expect(await page.getByText('Keep one of them').count()).toBe(1)
  await page.getByText('Say first what each marked column means').waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0)
  await check()
  await screenshot(`console-import-columns-${view.name}`)
  await page.getByLabel('Vorname').selectOption('Leave it out')
  await page.getByLabel('Birthday').selectOption('Keep it as an attribute')
  await page.getByRole('button', { name: 'Keep them all as attributes' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page
    .getByText('Rows: 2 read: 2 would be new, 0 changed, 0 unchanged, 0 merged. Nothing is wrong.')
    .waitFor()
  await check()
  // What a preview said of other columns is not shown.
  await page.getByLabel('Birthday').selectOption('Leave it out')
  expect(await page.getByText('Rows: 2 read').count()).toBe(0)
  await page.getByLabel('Birthday').selectOption('Keep it as an attribute')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Rows: 2 read: 2 new, 0 changed, 0 unchanged, 0 merged.').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Rows: 2 read: 0 would be new, 0 changed, 2 unchanged, 0 merged.').waitFor()
  await screenshot(`console-import-again-${view.name}`)
  const ada = (await contacts()).find(({ email }) => email === 'ada@example.com')
  expect(ada).toMatchObject({
    firstName: 'Ada',
    attributes: {
      Birthday: '10.12.1815',
      'Favourite <b>car</b>': 'The "Engine"',
      [long.slice(0, 64)]: 'By a friend',
    },
  })
})

test.each([views[0], views[2]])('a German list into a new organization: $name', async (view) => {
  const id = `hafen-${view.name}`
  const inGerman = { ...view, locale: 'de-DE' }
  const { page, check, screenshot } = await room.visit('/organizations', room.adminKey, inGerman)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New organization' }).click()
  await dialog.getByLabel('Identifier').fill(id)
  await dialog.getByLabel('Name').fill('Café am Hafen')
  const country = dialog.getByLabel('Country of phone numbers')
  // That of the browser is there already.
  expect(await country.inputValue()).toBe('DE')
  await country.fill('Germany')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('must be an ISO 3166-1 alpha-2 code').waitFor()
  await check()
  await screenshot(`console-organization-new-${view.name}`)
  await country.fill('US')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { level: 1, name: 'Café am Hafen' }).waitFor()

  const tab = (name: string) => page.getByLabel('Organization', { exact: true }).getByRole('link', { name })
  await tab('Imports').click()
  await page.getByLabel('What the rows are').selectOption('contacts')
  const rows = [
    'Vorname;Nachname;E-Mail;Handy;Geburtstag;Kennzeichen;Newsletter',
    'Jürgen;Müller;juergen.mueller@web.de;0171 / 23 45 610;01.01.1945;HH-AB 120;ja',
    'Käthe;Schröder;kaethe.schroeder@gmx.de;+49 (0)151-44556011;6.2.1952;NF KL 13;nein',
    'Peter;Kaputt;peter.kaputt(at)web;;31.02.1980;???;vielleicht',
  ]
  const buffer = windows1252(rows.join('\r\n'))
  await page.getByLabel('Choose a file').setInputFiles({ name: 'kunden.csv', mimeType: 'text/csv', buffer })
  const sheet = page.getByRole('region', { name: 'The columns and first rows of the file' })
  // What needs a choice is within what the window shows.
  const wrong = sheet.getByLabel('Geburtstag')
  await wrong.waitFor()
  const { x = 0, width = 0 } = (await wrong.boundingBox()) ?? {}
  expect(x + width).toBeLessThan(view.viewport.width)
  expect(await sheet.getByLabel('Newsletter').inputValue()).toBe('emailConsent')
  await wrong.selectOption('Keep it as an attribute')
  const name = sheet.getByLabel('Its name as an attribute')
  expect(await name.inputValue()).toBe('Geburtstag')
  await name.fill('')
  await page.getByText('Give a name of 1 to 64 characters.').waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0)
  await check()
  await name.fill('birthday')
  await check()
  await screenshot(`console-import-german-${view.name}`)

  const [preview, start] = ['Preview', 'Import'].map((verb) =>
    page.getByRole('button', { name: verb, exact: true }),
  )
  if (preview === undefined || start === undefined) throw new Error('There are no buttons')
  expect(await preview.getAttribute('class')).toContain('primary')
  await preview.click()
  await page.getByText('Nothing was imported: the file has 3 problems.').waitFor()
  expect(await page.getByText('Correct them in the file').count()).toBe(0)
  await page.getByText('Handy must be a valid phone number of US, or one with its country').waitFor()
  await check()
  await screenshot(`console-import-country-${view.name}`)
  await page.getByRole('main').getByRole('link', { name: 'Settings' }).last().click()
  await page.getByLabel('Country of phone numbers').fill('DE')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings are saved.').waitFor()
  await tab('Imports').click()
  // What was chosen is still there.
  await page.getByText('kunden.csv').waitFor()
  expect(await name.inputValue()).toBe('birthday')
  await preview.click()
  await page.getByText('Nothing was imported: the file has 2 problems. Correct them in the file').waitFor()
  await page.getByRole('button', { name: 'Skip these rows, and check the others' }).click()
  await page.getByText('Rows: 2 read: 2 would be new,').waitFor()
  await page.getByText('What is wrong with the rows that would be skipped:').waitFor()
  await page.getByText('Newsletter must be one of subscribed').waitFor()
  expect(await start.getAttribute('class')).toContain('primary')
  await check()
  await screenshot(`console-import-german-preview-${view.name}`)
  await start.click()
  await page.getByText('Rows: 2 read: 2 new, 0 changed, 0 unchanged, 0 merged, 1 with problems').waitFor()
  const table = page.getByRole('table', { name: 'Imports' })
  await table.getByText('1 with problems skipped', { exact: false }).nth(1).waitFor()
  // One row for each thing that was done, the last of which came while the page was open; none covers another.
  expect(await table.getByRole('row').count()).toBe(5)
  const boxes = await Promise.all(
    (await table.getByRole('row').all()).slice(1).map(async (row) => (await row.boundingBox()) ?? null),
  )
  for (const [index, box] of boxes.entries()) {
    const below = boxes[index + 1]
    if (box !== null && below !== undefined) expect(below?.y).toBeGreaterThanOrEqual(box.y + box.height - 1)
  }
  await check()
  await screenshot(`console-import-german-done-${view.name}`)
  const key = (await room.operator('key', 'issue', '--org', id)).trim()
  const response = await fetch(`${room.service.origin}/api/v1/contacts`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await response.json()) as { readonly data: readonly Record<string, unknown>[] }
  expect(data.find(({ firstName }) => firstName === 'Jürgen')).toMatchObject({
    ...{ phone: '+491712345610', emailConsent: 'subscribed', attributes: { birthday: '01.01.1945' } },
  })
})

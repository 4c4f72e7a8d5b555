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
      '3 read: 2 would be new, 0 changed, 0 unchanged, 1 merged, 1 empty row skipped, 1 with problems skipped. Nothing was imported',
    )
    .waitFor()
  expect(await contacts()).toEqual([])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page
    .getByText(
      '3 read: 2 new, 0 changed, 0 unchanged, 1 merged, 1 empty row skipped, 1 with problems skipped.',
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
    /^\ufeffPrénom;Nom;Courriel;Téléphone;problem\r\nNoël;Sans adresse;pas une adresse;;"?email must be/,
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
    .getByText('2 read: 2 would be new, 0 changed, 0 unchanged, 0 merged. Nothing is wrong.')
    .waitFor()
  await check()
  // What a preview said of other columns is not shown.
  await page.getByLabel('Birthday').selectOption('Leave it out')
  expect(await page.getByText('would be new').count()).toBe(0)
  await page.getByLabel('Birthday').selectOption('Keep it as an attribute')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 read: 2 new, 0 changed, 0 unchanged, 0 merged.').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('2 read: 0 would be new, 0 changed, 2 unchanged, 0 merged.').waitFor()
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

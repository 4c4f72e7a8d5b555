import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, phone, type Stage } from './stage.ts'

/** Forms that the browser submits by itself, without a script. */
let stage: Stage

beforeAll(async () => {
  stage = await openStage()
}, 120_000)
afterAll(() => stage.close())

const noScripts = { ...phone, javaScriptEnabled: false }

describe('without scripts', () => {
  test('a form is saved and leads to its thank-you page', async () => {
    const { page, errors, screenshot } = await stage.open('/contact', noScripts)
    await screenshot('contact-phone')
    await page.fill('[name=firstName]', 'Ada “<b>” Löve 🚗')
    await page.fill('[name=email]', 'native@example.com')
    await page.selectOption('[name=topic]', 'praise')
    await page.fill('[name=message]', 'Line 1\nLine 2 & 100 % = +1')
    await page.click('button')
    await page.waitForURL(`${stage.siteUrl}/thanks`)
    const [submission] = await stage.submissions('demo-contact')
    expect(submission?.answers).toEqual({
      firstName: 'Ada “<b>” Löve 🚗',
      email: 'native@example.com',
      topic: 'praise',
      // Browsers send line breaks as CR LF.
      message: 'Line 1\r\nLine 2 & 100 % = +1',
    })
    expect(errors).toEqual([])
  })

  test('a multipart form with missing answers says which, and going back loses nothing', async () => {
    const { page, errors, screenshot } = await stage.open('/damage-claim', noScripts)
    expect(await page.isVisible('[name=mirrorSide]')).toBe(true)
    await page.fill('[name=email]', 'multipart@example.com')
    await page.fill('[name=visitDate]', '2026-05-01')
    await page.check('[name=damageType][value=mirror]')
    await page.click('button')
    await page.waitForSelector('h1:has-text("Please check your answers")')
    expect(await page.locator('.problems li').allInnerTexts()).toEqual([
      'Which mirror?\nThis field is required.',
      'All of this is true.\nYour consent is required.',
    ])
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).borderRadius)).toBe('16px')
    await screenshot('failure-page-phone')
    await page.emulateMedia({ colorScheme: 'dark' })
    await screenshot('failure-page-phone-dark')
    await page.goBack()
    expect(await page.inputValue('[name=email]')).toBe('multipart@example.com')
    expect(await page.isChecked('[name=damageType][value=mirror]')).toBe(true)
    await page.check('[name=mirrorSide][value=left]')
    await page.check('[name=truthful]')
    await page.click('button')
    await page.waitForURL(`${stage.siteUrl}/thanks`)
    const [submission] = await stage.submissions('demo-damage-claim')
    expect(submission?.answers).toEqual({
      email: 'multipart@example.com',
      visitDate: '2026-05-01',
      damageType: 'mirror',
      mirrorSide: 'left',
      truthful: true,
    })
    expect(errors).toEqual([])
  })

  test('a wrong password is told, the right one leads to the page of success', async () => {
    const { page, errors, screenshot } = await stage.open('/members', noScripts)
    await page.fill('[name=_password]', 'wrong')
    await page.fill('[name=email]', 'member@example.com')
    await page.check('[value=wax]')
    await page.check('[value=interior]')
    await page.click('button')
    await page.waitForSelector('h1:has-text("That password is not right")')
    await page.goBack()
    expect(await page.isChecked('[value=wax]')).toBe(true)
    await page.fill('[name=_password]', 'sparkle')
    await page.click('button')
    await page.waitForSelector('h1:has-text("Thank you")')
    await screenshot('success-page-phone')
    const [submission] = await stage.submissions('demo-members')
    expect(submission?.answers).toEqual({ email: 'member@example.com', extras: ['wax', 'interior'] })
    await page.click('text=Back to')
    // The browser reveals to the service of which site the page is, and not which page it is.
    await page.waitForURL(`${new URL(stage.siteUrl).origin}/`)
    expect(errors).toEqual([])
  })
})

test('with scripts, but without the client, the browser sends the form as well', async () => {
  const { page, errors } = await stage.open('/', {})
  await page.route('**/form-client.js', (route) =>
    route.fulfill({ status: 200, contentType: 'text/javascript', body: 'export const attach = () => {}' }),
  )
  await page.goto(`${stage.siteUrl}/contact`)
  await page.fill('[name=firstName]', 'Bea')
  await page.fill('[name=email]', 'bea@example.com')
  await page.fill('[name=message]', 'Hello')
  await page.press('[name=email]', 'Enter')
  await page.waitForURL(`${stage.siteUrl}/thanks`)
  expect(errors).toEqual([])
})

test('pages stay out of frames', async () => {
  const { page } = await stage.open('/contact', {})
  await page.evaluate(() => {
    const frame = document.createElement('iframe')
    frame.name = 'inside'
    document.body.append(frame)
    const form = document.createElement('form')
    form.method = 'post'
    form.target = 'inside'
    form.action = document.querySelector('form')?.getAttribute('action') ?? ''
    document.body.append(form)
    form.submit()
  })
  // The frame is blocked, so Chromium shows an error page of its own in it.
  const inside = () => page.frames().find((frame) => frame !== page.mainFrame())
  await expect.poll(() => inside()?.url()).toBe('chrome-error://chromewebdata/')
})

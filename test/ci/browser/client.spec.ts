import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStage, phone, type Stage, type Visit } from './stage.ts'

/** Forms with the browser client, which sends them across origins and stays on the page. */
let stage: Stage

beforeAll(async () => {
  stage = await openStage()
}, 120_000)
afterAll(() => stage.close())

const anyOrigin = { 'access-control-allow-origin': '*' }
const endpoint = '**/api/forms/*/submissions'

/** Counts the requests to the service. */
function countSent(page: Page): () => number {
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/submissions')) sent += 1
  })
  return () => sent
}

async function describedBy(page: Page, selector: string): Promise<readonly string[]> {
  return page
    .locator(selector)
    .first()
    .evaluate((control) =>
      (control.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? ''),
    )
}

const focusedName = (page: Page): Promise<string | null> =>
  page.evaluate(
    () => document.activeElement?.getAttribute('name') ?? document.activeElement?.className ?? null,
  )

describe('conditional fields', () => {
  let visit: Visit
  beforeEach(async () => {
    visit = await stage.open('/damage-claim', phone)
  })

  const shown = async (): Promise<readonly string[]> => {
    const fields = await visit.page.locator('[data-field]').all()
    const visible = await Promise.all(
      fields.map(async (field) => ((await field.isVisible()) ? field.getAttribute('data-field') : null)),
    )
    return visible.filter((id) => id !== null)
  }

  test('show and hide as the visitor types', async () => {
    const { page, errors, screenshot } = visit
    expect(await shown()).toEqual(['truthful'])
    expect(await page.isDisabled('[name=description]')).toBe(true)
    await page.check('[name=damageType][value=mirror]')
    expect(await shown()).toEqual(['mirrorSide', 'truthful'])
    await page.check('[name=damageType][value=other]')
    expect(await shown()).toEqual(['description', 'truthful'])
    await page.fill('[name=estimatedCost]', '1000')
    expect(await shown()).toEqual(['description', 'truthful'])
    await page.locator('[name=estimatedCost]').press('End')
    await page.keyboard.type('.5')
    expect(await shown()).toEqual(['description', 'hasReport', 'truthful'])
    await screenshot('damage-claim-phone')
    await page.evaluate(() => {
      document.querySelector('form')?.reset()
    })
    await page.waitForTimeout(50)
    expect(await shown()).toEqual(['truthful'])
    expect(errors).toEqual([])
  })

  test('that are hidden are not sent, and come back as they were', async () => {
    const { page } = visit
    await page.check('[name=damageType][value=mirror]')
    await page.check('[name=mirrorSide][value=right]')
    await page.check('[name=damageType][value=other]')
    const sentNames = () =>
      page.evaluate(() => [...new FormData(document.querySelector('form') ?? undefined).keys()])
    expect(await sentNames()).not.toContain('mirrorSide')
    await page.check('[name=damageType][value=mirror]')
    expect(await sentNames()).toContain('mirrorSide')
  })

  test('are right after coming back through the history', async () => {
    const { page } = visit
    await page.check('[name=damageType][value=mirror]')
    await page.goto(`${stage.siteUrl}/`)
    await page.goBack({ waitUntil: 'networkidle' })
    expect(await page.isVisible('[name=mirrorSide]')).toBe(
      await page.isChecked('[name=damageType][value=mirror]'),
    )
  })
})

describe('errors', () => {
  test('stand at their fields, are announced, and go when corrected', async () => {
    const { page, errors, screenshot } = await stage.open('/damage-claim', phone)
    await page.fill('[name=email]', 'client@example.com')
    await page.fill('[name=visitDate]', '2026-05-02')
    await page.check('[name=damageType][value=other]')
    await page.click('button')
    await page.waitForSelector('.form-client-error')
    await screenshot('field-errors-phone')
    expect(await page.locator('[role=alert]').innerText()).toContain('Please check what is marked')
    expect(await describedBy(page, '[name=description]')).toEqual([
      'If it was something else than a mirror or the paint.',
      'This field is required.',
    ])
    expect(await page.getAttribute('[name=truthful]', 'aria-invalid')).toBe('true')
    expect(await focusedName(page)).toBe('description')
    await page.keyboard.type('A scratch')
    expect(await page.getAttribute('[name=description]', 'aria-invalid')).toBeNull()
    expect(await page.getAttribute('[name=description]', 'aria-describedby')).toBe('description-hint')
    expect(await page.locator('[role=alert]').innerText()).not.toBe('')
    await page.check('[name=truthful]')
    expect(await page.locator('.form-client-error').count()).toBe(0)
    expect(await page.locator('[role=alert]').innerText()).toBe('')
    await page.click('button')
    await page.waitForURL(`${stage.siteUrl}/thanks`)
    const [submission] = await stage.submissions('demo-damage-claim')
    expect(submission?.answers).toMatchObject({ description: 'A scratch', truthful: true })
    expect(errors).toEqual([])
  })

  test('of hidden fields leave with them', async () => {
    const { page } = await stage.open('/damage-claim')
    await page.fill('[name=email]', 'client2@example.com')
    await page.fill('[name=visitDate]', '2026-05-02')
    await page.check('[name=damageType][value=mirror]')
    await page.check('[name=truthful]')
    await page.click('button')
    await page.waitForSelector('.form-client-error')
    await page.check('[name=damageType][value=paint]')
    expect(await page.locator('.form-client-error').count()).toBe(0)
  })

  test('of the password stand at the password', async () => {
    const { page, errors, screenshot } = await stage.open('/members')
    await page.fill('[name=_password]', 'wrong')
    await page.fill('[name=email]', 'member@example.com')
    await page.click('button')
    await page.waitForSelector('.form-client-error')
    expect(await focusedName(page)).toBe('_password')
    await screenshot('password-error-desktop')
    await page.fill('[name=_password]', 'sparkle')
    await page.check('[value=tires]')
    await page.click('button')
    await page.waitForSelector('.form-client-receipt')
    expect(await page.locator('.form-client-receipt').innerText()).toContain('Your plan changes')
    expect(await page.isVisible('form')).toBe(false)
    expect(await focusedName(page)).toBe('form-client-receipt')
    expect(errors).toEqual([])
  })
})

test('the keyboard alone is enough', async () => {
  const { page, errors, screenshot } = await stage.open('/damage-claim')
  const { keyboard } = page
  await page.focus('[name=email]')
  await keyboard.type('keyboard@example.com')
  await keyboard.press('Tab')
  await keyboard.type('05022026')
  const goTo = async (name: string): Promise<void> => {
    for (let presses = 0; presses < 10 && (await focusedName(page)) !== name; presses += 1)
      await keyboard.press('Tab')
    expect(await focusedName(page)).toBe(name)
  }
  await goTo('damageType')
  await keyboard.press('Space')
  // The field that has just appeared comes next in the tab order.
  await goTo('mirrorSide')
  await goTo('truthful')
  await keyboard.press('Space')
  await keyboard.press('Enter')
  await page.waitForSelector('.form-client-error')
  expect(await focusedName(page)).toBe('mirrorSide')
  await screenshot('keyboard-focus-desktop')
  await keyboard.press('Space')
  await keyboard.press('Enter')
  await page.waitForURL(`${stage.siteUrl}/thanks`)
  const [submission] = await stage.submissions('demo-damage-claim')
  expect(submission?.answers).toMatchObject({
    visitDate: '2026-05-02',
    damageType: 'mirror',
    mirrorSide: 'left',
  })
  expect(errors).toEqual([])
})

async function fillContact(page: Page, email: string): Promise<void> {
  await page.fill('[name=firstName]', 'Cleo')
  await page.fill('[name=email]', email)
  await page.fill('[name=message]', 'Hello')
}

describe('sending', () => {
  test('happens once, however often the button is pressed', async () => {
    const { page, errors } = await stage.open('/contact')
    const sent = countSent(page)
    const pressed = Promise.withResolvers<undefined>()
    await page.route(endpoint, async (route) => {
      await pressed.promise
      await route.continue()
    })
    await fillContact(page, 'once@example.com')
    await page.dblclick('button')
    expect(await page.getAttribute('button', 'aria-disabled')).toBe('true')
    // Without `force`, Playwright would wait until the button is enabled.
    await page.click('button', { force: true })
    await page.press('[name=email]', 'Enter')
    pressed.resolve(undefined)
    await page.waitForURL(`${stage.siteUrl}/thanks`)
    expect(sent()).toBe(1)
    const saved = await stage.submissions('demo-contact')
    expect(saved.filter(({ answers }) => answers.email === 'once@example.com')).toHaveLength(1)
    expect(errors).toEqual([])
  })

  test('takes no file, and says so at its control', async () => {
    const { page } = await stage.open('/contact')
    const sent = countSent(page)
    await fillContact(page, 'file@example.com')
    await page.evaluate(() => {
      document
        .querySelector('[data-form-summary]')
        ?.insertAdjacentHTML(
          'beforebegin',
          '<label>Photo <input type="file" name="photo"></label><input type="file" name="other">',
        )
    })
    // Attached again, the client knows the new control.
    await page.evaluate(`(async () => {
      const { src } = document.querySelector('script[src*="form-client.js"]')
      await (await import(src)).attachAll(src)
    })()`)
    await page.setInputFiles('[name=photo]', {
      name: 'a.png',
      mimeType: 'image/png',
      buffer: Buffer.alloc(99),
    })
    await page.click('button')
    await expect
      .poll(() => describedBy(page, '[name=photo]'))
      .toEqual(['Files cannot be sent with this form. Remove the file, then send the form again.'])
    expect(sent()).toBe(0)
    expect(sent()).toBe(0)
    await page.setInputFiles('[name=photo]', [])
    await page.click('button')
    await page.waitForSelector('.form-client-receipt')
  })

  test('tells what only the owner of the page can mend apart from what the visitor can', async () => {
    const { page } = await stage.open('/contact')
    await fillContact(page, 'owner@example.com')
    const summary = page.locator('[data-form-summary]')
    const told = async () => [
      await summary.locator('p').innerText(),
      await summary.locator('li').allInnerTexts(),
    ]
    const owner =
      'The form sends something that this service does not take. You cannot correct that, its owner can:'
    await page.evaluate(() => {
      document.querySelector('form button')?.setAttribute('name', 'action')
      document.querySelector('[name=_gotcha]')?.setAttribute('name', 'nothing')
    })
    await page.click('button')
    await expect.poll(told).toEqual([owner, ['_gotcha: This key is required; send it empty.']])
    await page.evaluate(() => {
      document.querySelector('[name=nothing]')?.setAttribute('name', '_gotcha')
    })
    await page.click('button')
    await expect.poll(told).toEqual([owner, ['action: This form has no such field.']])
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
  })

  test('survives a lost connection, keeps what was typed, and does not repeat itself', async () => {
    const { page, screenshot } = await stage.open('/contact', phone)
    const sent = countSent(page)
    await page.route(endpoint, (route) => route.abort('connectionreset'))
    await fillContact(page, 'lost@example.com')
    await page.click('button')
    await page.waitForSelector('[role=alert]:has-text("connection failed")')
    await screenshot('lost-connection-phone')
    await page.waitForTimeout(1_000)
    expect(sent()).toBe(1)
    expect(await page.inputValue('[name=message]')).toBe('Hello')
    expect(await page.getAttribute('form', 'aria-busy')).toBeNull()
    await page.unroute(endpoint)
    await page.click('button')
    await page.waitForURL(`${stage.siteUrl}/thanks`)
  })

  test('says so when something else answers', async () => {
    const { page } = await stage.open('/contact')
    await page.route(endpoint, (route) =>
      route.fulfill({
        status: 200,
        body: '<h1>Captive portal</h1>',
        headers: anyOrigin,
      }),
    )
    await fillContact(page, 'portal@example.com')
    await page.click('button')
    await page.waitForSelector('[role=alert]:has-text("not known whether")')
    expect(page.url()).toContain('/contact')
  })

  test('follows a redirect to its own site only', async () => {
    const { page } = await stage.open('/contact')
    const body = JSON.stringify({
      ok: true,
      submissionId: 's',
      title: 'T',
      message: 'M',
      redirectUrl: 'https://evil.example/',
    })
    await page.route(endpoint, (route) => route.fulfill({ body, headers: anyOrigin }))
    await fillContact(page, 'redirect@example.com')
    await page.click('button')
    await page.waitForSelector('.form-client-receipt')
    expect(page.url()).toContain(stage.siteUrl)
  })
})

test('any site may send JSON after a preflight and read every answer', async () => {
  const { page, errors } = await stage.open('/')
  const before = stage.service.requests().length
  const answers = await page.evaluate(async (origin) => {
    const post = async (body: unknown): Promise<unknown> => {
      const response = await fetch(`${origin}/api/forms/demo-contact/submissions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      const { ok, code, redirectUrl } = (await response.json()) as Record<string, unknown>
      return { status: response.status, ok, code, redirectUrl }
    }
    return [
      await post({
        _gotcha: '',
        firstName: 'Dee',
        email: 'dee@example.com',
        message: 'Hi',
        _redirect: '/demo-site/thanks',
      }),
      await post({ _gotcha: '' }),
      await post([]),
    ]
  }, stage.service.origin)
  expect(answers).toEqual([
    { status: 200, ok: true, code: undefined, redirectUrl: `${stage.siteUrl}/thanks` },
    { status: 422, ok: false, code: 'validation_error', redirectUrl: undefined },
    { status: 400, ok: false, code: 'invalid_body', redirectUrl: undefined },
  ])
  expect(errors).toEqual([])
  await expect
    .poll(() =>
      stage.service
        .requests()
        .slice(before)
        .map(({ endpointId }) => endpointId),
    )
    .toContain('forms.preflight')
})

test('fields may be named like parts of a form, and a form is given back as it was', async () => {
  const { page, errors } = await stage.open('/')
  const names = [
    'elements',
    'action',
    'style',
    'hidden',
    'submit',
    'reset',
    'addEventListener',
    'querySelectorAll',
    'constructor',
    'toString',
    'after',
    'prepend',
    'getRootNode',
    'setAttribute',
    'a"b',
    'c d',
  ]
  const fieldErrors = Object.fromEntries([...names, 'gone'].map((name) => [name, `No ${name}`]))
  const body = JSON.stringify({ ok: false, code: 'validation_error', error: 'E', fieldErrors })
  await page.route(endpoint, (route) => route.fulfill({ status: 422, body, headers: anyOrigin }))
  await page.evaluate(
    ({ origin, names }) => {
      const form = document.createElement('form')
      form.method = 'post'
      form.action = `${origin}/api/forms/x/submissions`
      for (const name of names) {
        const label = document.createElement('label')
        const input = document.createElement('input')
        input.name = name
        label.append(name, input)
        HTMLFormElement.prototype.append.call(form, label)
      }
      HTMLFormElement.prototype.append.call(form, document.createElement('button'))
      document.body.replaceChildren(form)
    },
    { origin: stage.service.origin, names },
  )
  const original = await page.innerHTML('body')
  const fields = [...names, 'gone'].map((id) => ({ id, type: 'short_text', label: `Label of ${id}` }))
  await page.addScriptTag({
    type: 'module',
    content: `import { attach } from '${stage.service.origin}/form-client.js'
      const attached = attach(document.querySelector('form'), ${JSON.stringify({ fields })})
      addEventListener('give-back', attached.detach)
      document.querySelector('button').click()`,
  })
  await page.waitForSelector('.form-client-error')
  expect(await page.locator('.form-client-error').allInnerTexts()).toEqual(names.map((name) => `No ${name}`))
  expect(await page.locator('label .form-client-error').count()).toBe(0)
  expect(await page.locator('[role=alert]').innerText()).toContain('Label of gone: No gone')
  await page.evaluate(() => {
    document.querySelector('script:not([src])')?.remove()
    dispatchEvent(new Event('give-back'))
  })
  expect(await page.innerHTML('body')).toBe(original)
  expect(errors).toEqual([])
})

describe('a form that is let go', () => {
  let visit: Visit
  beforeEach(async () => {
    visit = await stage.open('/')
    await visit.page.evaluate((origin) => {
      document.body.innerHTML = `<form method="post" action="${origin}/api/forms/demo-damage-claim/submissions">
        <input name="damageType"><p data-field="description" hidden style="display: grid;">
        <input name="description" disabled></p><button>Send</button></form>`
    }, stage.service.origin)
  })
  const html = () => visit.page.innerHTML('body')
  /** Runs a script with the client's functions and the form in scope. */
  const run = (script: string) =>
    visit.page.evaluate(
      `import('${stage.service.origin}/form-client.js').then(async (client) => {
        const form = document.querySelector('form')
        ${script}
      })`,
    )

  test('before its definition has arrived is never attached', async () => {
    const before = await html()
    await run(`const leaving = new AbortController()
      const attaching = client.attachForm(form, { signal: leaving.signal })
      leaving.abort()
      const attached = await attaching
      attached.update()
      attached.detach()`)
    expect(await html()).toBe(before)
    expect(visit.errors).toEqual([])
  })

  test('is as it was, however often it was attached', async () => {
    const before = await html()
    await run(`await client.attachForm(form)
      const second = await client.attachForm(form)
      if (document.querySelectorAll('.form-client-summary').length !== 1) throw new Error('attached twice')
      form.reset()
      second.detach()
      second.detach()
      second.update()
      await new Promise((resolve) => setTimeout(resolve, 50))`)
    expect(await html()).toBe(before)
    expect(visit.errors).toEqual([])
  })

  test('when it hears that it was saved shows no confirmation', async () => {
    const before = await html()
    const body = JSON.stringify({ ok: true, submissionId: 's', title: 'T', message: 'M' })
    await visit.page.route(endpoint, (route) => route.fulfill({ body, headers: anyOrigin }))
    await run(`await new Promise((resolve) => {
        const attached = client.attach(form, { fields: [] }, { onSaved: () => { attached.detach(); resolve() } })
        form.querySelector('button').click()
      })
      await new Promise((resolve) => setTimeout(resolve, 50))`)
    expect(await html()).toBe(before)
    expect(visit.errors).toEqual([])
  })
})

test.each([
  ['phone', phone],
  ['desktop', { viewport: { width: 1280, height: 800 } }],
] as const)('the demo site fits a %s', async (name, options) => {
  for (const path of ['/', '/contact', '/members']) {
    const { page, errors, screenshot } = await stage.open(path, options)
    const { width, available } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      available: window.innerWidth,
    }))
    expect(width, path).toBeLessThanOrEqual(available)
    await screenshot(`site-${path === '/' ? 'start' : path.slice(1)}-${name}`)
    expect(errors).toEqual([])
  }
})

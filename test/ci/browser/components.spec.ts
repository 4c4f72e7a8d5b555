import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { install, packProject } from '../../support/services/packed.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'
import { openStage, serveSite, type Stage } from './stage.ts'

/** The example pages of `test/client/forms`, built with the packed project as by whoever installs it. */
const folder = join(scratchDirectory(), 'forms')
const run = promisify(execFile)
const kinds = ['plain', 'react', 'vue'] as const

let stage: Stage
let site: Awaited<ReturnType<typeof serveSite>>

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** A file of the built pages, which name the service of this test in place of `npm start`. */
function file(path: string) {
  const found = [join(folder, 'dist', path), join(folder, path)].find(
    (each) => existsSync(each) && statSync(each).isFile(),
  )
  if (path === '/thanks') return { type: 'text/html', body: '<title>Thanks</title>' }
  if (found === undefined) return null
  const body = readFileSync(found, 'utf8').replaceAll('http://127.0.0.1:8787', stage.service.origin)
  return { type: types[extname(found)] ?? 'text/plain', body }
}

beforeAll(async () => {
  cpSync(join(projectRoot, 'test', 'client', 'forms'), folder, {
    recursive: true,
    filter: (path) => !/node_modules|[/\\]dist\b/.test(path),
  })
  const tarball = packProject()
  await install(folder)
  await install(folder, '--no-save', await tarball)
  await run('npm', ['run', 'build'], { cwd: folder })
  stage = await openStage()
  site = await serveSite(file)
}, 600_000)
afterAll(async () => {
  site.close()
  await stage.close()
})

async function open(kind: (typeof kinds)[number]) {
  const visit = await stage.visit(`${site.url}/${kind}.html`)
  await visit.page.locator('#claim .form-client-summary').waitFor({ state: 'attached' })
  await visit.page.locator('#members .form-client-summary').waitFor({ state: 'attached' })
  return { ...visit, claim: visit.page.locator('#claim'), members: visit.page.locator('#members') }
}

async function fillClaim(claim: Locator, email: string): Promise<void> {
  await claim.locator('[name=email]').fill(email)
  await claim.locator('[name=visitDate]').fill('2026-05-02')
  await claim.locator('[name=truthful]').check()
}

const send = (section: Locator) => section.getByRole('button', { name: 'Send' }).click()

async function saved(formId: string, email: string) {
  return (await stage.submissions(formId)).filter(({ answers }) => answers.email === email)
}

test('their types fit the package', async () => {
  expect((await run('npm', ['run', 'check'], { cwd: folder })).stdout).not.toContain('error')
})

describe.each(kinds)('%s', (kind) => {
  test('shows what applies, places errors at their fields, saves, and goes where the form says', async () => {
    const { page, claim, members, errors } = await open(kind)
    const what = claim.locator('[name=description]')
    expect(await what.isVisible()).toBe(false)
    await claim.locator('[name=damageType][value=mirror]').check()
    expect(await claim.locator('[name=mirrorSide]').first().isVisible()).toBe(true)
    await claim.locator('[name=damageType][value=other]').check()
    expect(await claim.locator('[name=mirrorSide]').first().isVisible()).toBe(false)
    await fillClaim(claim, `${kind}@example.com`)
    // Something, for the browser; nothing, for the service.
    await what.fill('   ')
    await send(claim)
    await claim.locator('[data-field=description] .form-client-error').waitFor()
    expect(await what.getAttribute('aria-invalid')).toBe('true')
    expect(await members.locator('.form-client-error').count()).toBe(0)
    await what.fill('A scratch')
    expect(await claim.locator('.form-client-error').count()).toBe(0)
    await send(claim)
    await page.waitForURL(`${site.url}/thanks`)
    const [submission, ...others] = await saved('demo-damage-claim', `${kind}@example.com`)
    expect(others).toEqual([])
    expect(submission?.answers).toEqual({
      email: `${kind}@example.com`,
      visitDate: '2026-05-02',
      damageType: 'other',
      description: 'A scratch',
      truthful: true,
    })
    expect(errors).toEqual([])
  })

  test('asks for the password of a form', async () => {
    const { claim, members, errors } = await open(kind)
    await members.locator('[name=email]').fill(`${kind}@example.com`)
    await members.locator('[name=extras][value=wax]').check()
    await members.locator('[name=_password]').fill('wrong')
    await send(members)
    await members.locator('[data-field=_password] .form-client-error').waitFor()
    await members.locator('[name=_password]').fill('sparkle')
    await send(members)
    await members.locator('.form-client-receipt').waitFor()
    expect(await members.locator('form').isVisible()).toBe(false)
    expect(await claim.locator('form').isVisible()).toBe(true)
    const [submission] = await saved('demo-members', `${kind}@example.com`)
    expect(submission?.answers).toEqual({ email: `${kind}@example.com`, extras: ['wax'] })
    if (kind !== 'plain') {
      expect(await members.locator('output').innerText()).toBe(submission?.submissionId)
      await members.getByRole('button', { name: 'Close' }).click()
      expect(await members.locator('.form-client-receipt').count()).toBe(0)
    }
    expect(errors).toEqual([])
  })
})

describe.each(['react', 'vue'] as const)('%s', (kind) => {
  test('says so when the form cannot be shown', async () => {
    const { page } = await stage.visit(`${site.url}/thanks`)
    await page.route('**/demo-members/definition', (route) => route.abort('internetdisconnected'))
    await page.goto(`${site.url}/${kind}.html`)
    await page.locator('#claim form').waitFor()
    expect(await page.locator('#members [role=alert]').innerText()).toContain('try again later')
  })

  test('a form that is closed while it is being sent is saved and says nothing any more', async () => {
    const { page, claim, errors } = await open(kind)
    await page.route('**/submissions', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await fillClaim(claim, `${kind}-closed@example.com`)
    await claim.locator('[name=damageType][value=paint]').check()
    const answer = page.waitForResponse('**/submissions')
    await send(claim)
    await claim.getByRole('button', { name: 'Close' }).click()
    expect((await answer).status()).toBe(200)
    await page.waitForTimeout(300)
    expect(page.url()).toBe(`${site.url}/${kind}.html`)
    expect(await page.locator('.form-client-receipt').count()).toBe(0)
    expect(await saved('demo-damage-claim', `${kind}-closed@example.com`)).toHaveLength(1)
    expect(errors).toEqual([])
  })

  test('opened and closed again, it leaves nothing behind', async () => {
    const { page, claim, errors } = await open(kind)
    const toggle = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await claim.getByRole('button', { name: 'Close' }).click()
        await claim.getByRole('button', { name: 'Open' }).click()
        await claim.locator('.form-client-summary').waitFor({ state: 'attached' })
        await claim.locator('[name=damageType][value=other]').check()
      }
    }
    const settled = async () => {
      // Two forms are open, and a framework may keep the last one that it removed.
      await expect.poll(async () => (await leftIn(page)).forms, { timeout: 60_000 }).toBeLessThanOrEqual(3)
      return leftIn(page)
    }
    await toggle(3)
    const before = await settled()
    await toggle(20)
    const after = await settled()
    expect(after.listeners).toBeLessThanOrEqual(before.listeners)
    expect(errors).toEqual([])
  })
})

/** What is alive in a page, attached to it or not. */
async function leftIn(page: Page): Promise<{ readonly forms: number; readonly listeners: number }> {
  const client = await page.context().newCDPSession(page)
  await client.send('HeapProfiler.collectGarbage')
  const { jsEventListeners } = await client.send('Memory.getDOMCounters')
  const { result } = await client.send('Runtime.evaluate', { expression: 'HTMLFormElement.prototype' })
  const { objects } = await client.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' })
  const { result: own } = await client.send('Runtime.getProperties', { objectId: objects.objectId ?? '' })
  await client.detach()
  const forms = own.filter(({ name }) => /^\d+$/.test(name)).length
  return { forms, listeners: jsEventListeners }
}

describe('the page of plain HTML', () => {
  test('works under a content security policy that names the service', async () => {
    const policy = ['script-src', 'connect-src', 'form-action']
      .map((directive) => `${directive} ${stage.service.origin}`)
      .join('; ')
    const strict = await serveSite(file, { 'content-security-policy': `default-src 'none'; ${policy}` })
    const { page, errors } = await stage.visit(`${strict.url}/plain.html`)
    const claim = page.locator('#claim')
    await claim.locator('.form-client-summary').waitFor({ state: 'attached' })
    expect(await claim.locator('[name=description]').isVisible()).toBe(false)
    await claim.locator('[name=damageType][value=other]').check()
    await fillClaim(claim, 'policy@example.com')
    await send(claim)
    await claim.locator('[data-field=description] .form-client-error').waitFor()
    await claim.locator('[name=description]').fill('A scratch')
    await send(claim)
    await page.waitForURL(`${strict.url}/thanks`)
    expect(errors).toEqual([])
    strict.close()
  })

  test('shows all fields when the definition cannot be reached, and the service checks them', async () => {
    const { page } = await stage.visit(`${site.url}/thanks`)
    await page.route('**/definition', (route) => route.abort('internetdisconnected'))
    await page.goto(`${site.url}/plain.html`)
    const claim = page.locator('#claim')
    await claim.locator('.form-client-summary').waitFor({ state: 'attached' })
    for (const name of ['mirrorSide', 'description', 'hasReport'])
      expect(await claim.locator(`[name=${name}]`).first().isVisible()).toBe(true)
    await fillClaim(claim, 'offline@example.com')
    await claim.locator('[name=damageType][value=other]').check()
    await send(claim)
    await claim.locator('[data-field=description] .form-client-error').waitFor()
    await claim.locator('[name=description]').fill('A scratch')
    // No answer for a hidden field is kept, wherever it comes from.
    await claim.locator('[name=mirrorSide][value=left]').check()
    await send(claim)
    await page.waitForURL(`${site.url}/thanks`)
    const [submission] = await saved('demo-damage-claim', 'offline@example.com')
    expect(submission?.answers).toMatchObject({ description: 'A scratch' })
    expect(submission?.answers).not.toHaveProperty('mirrorSide')
  })
})

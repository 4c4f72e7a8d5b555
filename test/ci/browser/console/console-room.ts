import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFailed } from 'vitest'
import { projectRoot } from '../../../../host-worker/local/project.ts'
import { operateOrThrow, type StartedService } from '../../../support/services/started-service.ts'
import { openService } from '../shared-service.ts'

const screenshots = join(projectRoot, '.wrangler', 'screenshots')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Every view in which a page is looked at. */
export const views = [
  { name: 'desk-light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'desk-dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'phone-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

/** A service, and a browser that visits its console. */
export interface ConsoleRoom {
  readonly service: StartedService
  readonly stateDirectory: string
  /** The operator key of `npm start`, with the role admin. */
  readonly adminKey: string
  /** Runs an operator command on the service's state, and returns what it prints. */
  readonly operator: (...args: readonly string[]) => Promise<string>
  /** Opens an address below `/console` in a new profile, signed in when a key is given. */
  readonly visit: (path: string, key?: string, options?: BrowserContextOptions) => Promise<ConsoleVisit>
  /** Opens any address of the service in the same way. */
  readonly visitPage: (path: string, options?: BrowserContextOptions) => Promise<ConsoleVisit>
  /** Visits an address in every view: each shows the heading, passes `check`, and is photographed as `name-view`. */
  readonly inEveryView: (name: string, path: string, key: string, heading: string) => Promise<void>
  readonly close: () => Promise<void>
}

export interface ConsoleVisit {
  readonly page: Page
  /** Requests to other hosts, violations of the policy, and errors of the console and of scripts. */
  readonly complaints: readonly string[]
  /** What axe finds. */
  readonly findings: () => Promise<readonly string[]>
  /** How much wider than the window the page is. */
  readonly overflowPx: () => Promise<number>
  /**
   * Checks with axe and that there are no complaints and nothing is cut off sideways; with CONSOLE_VIEWS=all, each state
   * of a page in every view.
   */
  readonly check: () => Promise<void>
  readonly screenshot: (name: string) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * The room of a file of tests, which is open while they run. Its service is shared with other files (shared-service.ts),
 * unless it is asked for alone.
 */
export function useConsoleRoom(options?: Parameters<typeof openService>[0]): ConsoleRoom {
  const room: Partial<ConsoleRoom> = {}
  beforeAll(async () => {
    Object.assign(room, await openConsoleRoom(options))
  }, 240_000)
  afterAll(async () => {
    await room.close?.()
  })
  return room as ConsoleRoom
}

async function openConsoleRoom(options?: Parameters<typeof openService>[0]): Promise<ConsoleRoom> {
  mkdirSync(screenshots, { recursive: true })
  const { service, stateDirectory, browser, close } = await openService(options)
  const visitPage: ConsoleRoom['visitPage'] = (path, options = {}) =>
    open(browser, service.origin, path, options)
  const visit: ConsoleRoom['visit'] = (path, key, options = {}) =>
    visitPage(`/console${path}${key === undefined ? '' : `#${key}`}`, options)
  return {
    service,
    stateDirectory,
    adminKey: /ok_live_\w+/.exec(service.output())?.[0] ?? '',
    operator: (...args) => operateOrThrow(stateDirectory, ...args),
    visit,
    visitPage,
    inEveryView: async (name, path, key, heading) => {
      const visited = await visit(path, key)
      await visited.page.getByRole('heading', { level: 1, name: heading }).waitFor()
      for (const { name: view, ...how } of views) {
        await show(visited.page, how)
        await visited.page.waitForLoadState('networkidle')
        await visited.screenshot(`console-${name}-${view}`)
        await visited.check()
      }
      await visited.close()
    },
    close,
  }
}

async function open(
  browser: Browser,
  origin: string,
  path: string,
  options: BrowserContextOptions,
): Promise<ConsoleVisit> {
  // A colour that is on its way to another is not checked.
  const context = await browser.newContext({ colorScheme: 'light', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints = complaintsOf(page, origin)
  onTestFailed(async () => {
    console.error(
      `${page.url().replace(/#.*/, '')} shows:\n${await page.locator('body').innerText()}`,
      complaints,
    )
  })
  await page.goto(origin + path, { waitUntil: 'networkidle' })
  return {
    page,
    complaints,
    findings: () => findings(page),
    overflowPx: () => overflowPx(page),
    check: async () => {
      if (process.env.CONSOLE_VIEWS === 'all') await checkInEveryView(page)
      else await checkView(page)
      expect(complaints).toEqual([])
    },
    screenshot: async (name) => {
      await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
    },
    close: () => context.close(),
  }
}

async function checkView(page: Page): Promise<void> {
  expect(await findings(page)).toEqual([])
  expect(await overflowPx(page), 'nothing is wider than the window').toBe(0)
}

/** Checks the page as it is now in every view, and returns to the present one. */
async function checkInEveryView(page: Page): Promise<void> {
  const present = page.viewportSize()
  for (const view of views) {
    await show(page, view)
    await checkView(page)
  }
  await show(page, { colorScheme: 'light', viewport: present ?? views[0].viewport })
}

interface View {
  readonly colorScheme: 'light' | 'dark'
  readonly viewport: { readonly width: number; readonly height: number }
}

async function show(page: Page, { colorScheme, viewport }: View): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(viewport)
}

function complaintsOf(page: Page, origin: string): readonly string[] {
  const complaints: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== origin) complaints.push(`request to ${url.host}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Chromium reports each refused call by itself.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text())
  })
  return complaints
}

function overflowPx(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
}

/** What axe finds on the page as it is now. */
async function findings(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, so the page's policy stays as strict as it is. A page that was checked before has it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } }
    interface Violation {
      readonly id: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
    }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    )
  })
}

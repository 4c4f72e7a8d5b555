import { mkdirSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { operateOrThrow, type StartedService } from '../../support/services/started-service.ts'
import { openService } from './shared-service.ts'

const screenshots = join(projectRoot, '.wrangler', 'screenshots')

/** A service, the web site beside it, and a browser: shared with other files (shared-service.ts). */
export interface Stage {
  readonly service: StartedService
  /** The demo tenant's site, on an origin of its own. */
  readonly siteUrl: string
  /** Opens a page of the site in a new browser profile. Its errors are collected. */
  open(path: string, options?: BrowserContextOptions): Promise<Visit>
  /** Opens any page in the same way. */
  visit(url: string, options?: BrowserContextOptions): Promise<Visit>
  /** The submissions of a form, newest first, as the tenant reads them. */
  submissions(formId: string): Promise<readonly Submission[]>
  /** Runs a command of an operator on the service, and returns its output. */
  operate(...args: readonly string[]): Promise<string>
  close(): Promise<void>
}

export interface Submission {
  readonly submissionId: string
  readonly answers: Readonly<Record<string, unknown>>
}

export interface Visit {
  readonly page: Page
  /** Errors of the page's console and scripts, without the expected failure statuses of form answers. */
  readonly errors: readonly string[]
  /** The hosts to which the page sent requests. */
  readonly hosts: ReadonlySet<string>
  /** Takes a picture of the whole page, or of what the window shows. */
  readonly screenshot: (name: string, how?: 'page' | 'window') => Promise<void>
}

export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
}

/** What a site answers to a path. */
interface SitePage {
  readonly type: string
  readonly body: string | Uint8Array
  /** Default: utf-8. */
  readonly charset?: string
}

/** Serves pages on a port of its own, and so on another origin than the service. */
export async function serveSite(
  answer: (path: string) => SitePage | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const found = answer(new URL(request.url ?? '/', 'http://site').pathname)
    response.writeHead(found === null ? 404 : 200, {
      'content-type': `${found?.type ?? 'text/plain'}; charset=${found?.charset ?? 'utf-8'}`,
      ...headers,
    })
    response.end(found?.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export async function openStage(): Promise<Stage> {
  mkdirSync(screenshots, { recursive: true })
  const { service, stateDirectory, browser, close } = await openService()
  const siteUrl = /Demo web site +(\S+)/.exec(service.output())?.[1] ?? ''
  return {
    service,
    siteUrl,
    operate: (...args) => operateOrThrow(stateDirectory, ...args),
    open: (path, options = {}) => visit(browser, `${siteUrl}${path}`, options),
    visit: (url, options = {}) => visit(browser, url, options),
    submissions: async (formId) => {
      const url = `${service.origin}/api/v1/forms/${formId}/submissions?limit=500`
      const response = await fetch(url, { headers: { authorization: `Bearer ${service.demoKey}` } })
      return ((await response.json()) as { readonly data: readonly Submission[] }).data
    },
    close,
  }
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const hosts = new Set<string>()
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith('http')) hosts.add(host)
  })
  page.setDefaultTimeout(60_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text())
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  return {
    page,
    errors,
    hosts,
    screenshot: async (name, how = 'page') => {
      await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: how === 'page' })
    },
  }
}

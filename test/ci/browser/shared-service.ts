import type { Browser } from 'playwright-core'
import { launchChromium } from '../../support/runner/chromium.ts'
import {
  freePort,
  scratchDirectory,
  startService,
  type StartedService,
} from '../../support/services/started-service.ts'

/** A started service with its state, and a browser. */
export interface ServiceAndBrowser {
  readonly service: StartedService
  readonly stateDirectory: string
  readonly browser: Browser
  /** Ends what the file of tests has opened. */
  readonly close: () => Promise<void>
}

let sharedService: Promise<ServiceOfItsState> | undefined
let sharedBrowser: Promise<Browser> | undefined

type ServiceOfItsState = Pick<ServiceAndBrowser, 'service' | 'stateDirectory'>

/**
 * The service and the browser of this worker. Its files use them one after another, because a start takes longer than
 * most tests. They end with the worker. So a file finds what others have written: it gives its forms, organizations and
 * people names of their own, and expects no first or only row of a list. A file that cannot do so has a service alone.
 */
export async function openService({ isAlone = false } = {}): Promise<ServiceAndBrowser> {
  const started = isAlone ? startOne() : (sharedService ??= startOne())
  const browser = await (sharedBrowser ??= launchChromium())
  const { service, stateDirectory } = await started
  return {
    service,
    stateDirectory,
    browser,
    close: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
      if (isAlone) await service.stop()
    },
  }
}

async function startOne(): Promise<ServiceOfItsState> {
  const stateDirectory = scratchDirectory()
  return { stateDirectory, service: await startService({ port: await freePort(), stateDirectory }) }
}

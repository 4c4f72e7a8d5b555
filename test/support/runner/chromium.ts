import { chromium, type Browser } from 'playwright-core'

/** Starts Chromium, without what it does for itself: the one that CHROMIUM names, else Debian's headless shell. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: [
      // In containers tests run as root, where Chromium's sandbox does not work.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

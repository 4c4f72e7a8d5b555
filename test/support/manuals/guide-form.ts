import { setTimeout as pause } from 'node:timers/promises'
import { launchChromium } from '../runner/chromium.ts'

type Json = Readonly<Record<string, unknown>>

/** Fills the page of the guide in as a visitor, in a browser. Returns the id of the submission. */
export async function fillIn(path: string): Promise<string> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(`file://${path}`)
    const what = page.getByLabel('What was it?')
    await page.getByLabel('Email').fill('eve@example.com')
    await page.getByLabel('A mirror').check()
    await what.waitFor({ state: 'hidden' })
    await page.getByLabel('Something else').check()
    await what.fill('The roof')
    const answered = page.waitForResponse(/harbor-claim\/submissions$/)
    await page.getByRole('button').click()
    const answer = (await (await answered).json()) as Json
    await page.getByText('Thank you').waitFor()
    return String(answer.submissionId)
  } finally {
    await browser.close()
  }
}

/** Waits for the email that has a text, such as the id of a submission. */
export async function emailAbout(mentioned: string, mailbox: string): Promise<Json> {
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(mailbox, { headers: { accept: 'application/json' } })
    const { messages } = (await response.json()) as { readonly messages: readonly Json[] }
    const found = messages.find((message) =>
      [message.text, message.html].some((part) => String(part).includes(mentioned)),
    )
    if (found !== undefined) return found
    await pause(100)
  }
  throw new Error(`No email has ${mentioned}.`)
}

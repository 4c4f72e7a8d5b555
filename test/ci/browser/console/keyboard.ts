import type { Locator, Page } from 'playwright-core'

/** The maximum number of keys that a person would press on the way to a control. */
const STEPS_MAX = 150

/** Moves the focus to an element by the keyboard alone. */
export async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (await target.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard does not reach ${String(target)}`)
}

/** Moves the focus to an element by the keyboard alone, and presses a key there. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await reach(page, target)
  await page.keyboard.press(key)
}

/** Moves the focus to a control by the keyboard alone, and types in place of what is there. */
export async function type(page: Page, target: Locator, text: string): Promise<void> {
  await reach(page, target)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}

/** Moves the focus to a list of choices by the keyboard alone, and chooses by the beginning of a name. */
export async function choose(page: Page, target: Locator, name: string): Promise<void> {
  await reach(page, target)
  await page.keyboard.type(name)
}

const pending: (() => void)[] = []

/**
 * Has `work` done after the hooks of the test file that runs now. Files share their modules, so a hook that a module of
 * test support registered itself would run for the first file alone.
 */
export function afterFile(work: () => void): void {
  pending.push(work)
}

/** Does what the test file left to be done, the latest first. */
export function endFile(): void {
  for (const work of pending.splice(0).reverse()) work()
}

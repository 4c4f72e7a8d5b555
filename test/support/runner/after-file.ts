const pending: (() => void)[] = []

/**
 * Runs `work` after the hooks of the running test file. Files share their modules, so a hook that a support module
 * registered itself would only run for the first file.
 */
export function afterFile(work: () => void): void {
  pending.push(work)
}

/** Runs the work that the test file registered, the latest first. */
export function endFile(): void {
  for (const work of pending.splice(0).reverse()) work()
}

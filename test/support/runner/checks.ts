/** Named checks of a program outside the test runner: each passes or fails, and the last line counts both. */
export interface Checks {
  /** Runs one check. A failure is printed and does not prevent the next check. */
  readonly check: (name: string, run: () => void | Promise<void>) => Promise<void>
  /** Prints a figure or a remark. */
  readonly say: (line: string) => void
  /** Prints `N passed, N failed` and sets the exit code. */
  readonly report: () => void
}

/** Checks that print their results at once. */
export function createChecks(): Checks {
  let passed = 0
  let failed = 0
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  return {
    async check(name, run) {
      const startedAtMs = performance.now()
      try {
        await run()
        passed += 1
        say(`ok      ${name}${duration(performance.now() - startedAtMs)}`)
      } catch (error) {
        failed += 1
        say(
          `FAILED  ${name}\n${indented(error instanceof Error ? (error.stack ?? error.message) : String(error))}`,
        )
      }
    },
    say,
    report() {
      say(`${passed} passed, ${failed} failed`)
      process.exitCode = failed === 0 && passed > 0 ? 0 : 1
    },
  }
}

/** How long it took, when that is worth a thought. */
function duration(durationMs: number): string {
  return durationMs < 1000 ? '' : ` (${(durationMs / 1000).toFixed(1)} s)`
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '        ')
}

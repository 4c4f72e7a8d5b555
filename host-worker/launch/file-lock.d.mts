export function withFileLock<Result>(
  path: string,
  work: () => Promise<Result>,
  onWait?: () => void,
): Promise<Result>

/** A lock that this process has. */
export interface FileLock {
  readonly left: string | null
  say(text: string): void
  release(): void
}

export function tryFileLock(path: string, text: string): FileLock | null
export function fileLockHolder(path: string): { readonly pid: number; readonly text: string } | null
export function createFile(path: string, content: string): boolean
export function replaceFile(path: string, content: string): void
export function readText(path: string): string | null

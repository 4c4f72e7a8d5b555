export function withFileLock<Result>(
  path: string,
  work: () => Promise<Result>,
  onWait?: () => void,
): Promise<Result>

export function takeFileLock(path: string, onWait?: () => void): Promise<() => void>

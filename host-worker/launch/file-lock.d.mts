export function withFileLock<Result>(
  path: string,
  work: () => Promise<Result>,
  onWait?: () => void,
): Promise<Result>

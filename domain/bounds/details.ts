import type { Problem } from '../words/judge.ts'
import { echoed, PROBLEMS_MAX } from './echo.ts'

/** The problems of a body as `path: message`, in the order of its keys. */
export function detailsOf(problems: readonly Problem[]): readonly string[] {
  return problems
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => `${path === '' ? 'request' : echoed(path)}: ${message}`)
}

import type * as v from 'valibot'
import { PROBLEMS_MAX } from './echo.ts'

/** The problems of a body as `path: message`, in the order of its keys. */
export function detailsOf(issues: readonly v.BaseIssue<unknown>[]): readonly string[] {
  return issues.flatMap(innermost).slice(0, PROBLEMS_MAX).map(describe)
}

/** For a union: the problems within the alternative that the value seems to be, when that can be told. */
function innermost(issue: v.BaseIssue<unknown>): readonly v.BaseIssue<unknown>[] {
  const deeper = (issue.issues ?? []).filter(({ path }) => (path?.length ?? 0) > 0)
  return deeper.length === 0
    ? [issue]
    : deeper.map(
        (inner) => ({ ...inner, path: [...(issue.path ?? []), ...(inner.path ?? [])] }) as typeof issue,
      )
}

function describe({ path, received, message }: v.BaseIssue<unknown>): string {
  const place = path?.map(({ key }) => String(key)).join('.') ?? ''
  const isMissing = path !== undefined && received === 'undefined'
  return `${place === '' ? 'request' : place}: ${isMissing ? 'is required' : message}`
}

import type * as v from 'valibot'

/** Most problems that are named at once: whoever wrote the body needs no more to find out why. */
const DETAILS_MAX = 50

/** What is wrong with a body, as `path: message`, in the order of its keys. */
export function detailsOf(issues: readonly v.BaseIssue<unknown>[]): readonly string[] {
  return issues.flatMap(innermost).slice(0, DETAILS_MAX).map(describe)
}

/** Of a value that may be this or that: what is wrong within the one that it tries to be, when that can be told. */
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

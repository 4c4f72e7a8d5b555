import type { Row } from './rows.ts'
import type { Operation } from './table.ts'
import { shown } from './world.ts'

// Requests to an operation that get each of its statuses, and the kinds of headers that the table has for their answers.

/** A request: by the owner of the rows, a child of it that can do nothing, or without a key. */
export interface Asked {
  readonly by: 'owner' | 'child' | 'nobody'
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Requests to an operation that get each of its statuses, but for rare ones.
 * @param own its path for a row that is there
 */
export function requestsOf({ method, path }: Operation, own: string): readonly Asked[] {
  if (method === 'OPTIONS') return [{ by: 'nobody', path: own }]
  if (method === 'POST') return path.startsWith('/api/v1/') ? sends(path) : submissions(path)
  const missing = path.replaceAll(/\{\w+\}/g, 'missing')
  return [
    { by: 'owner', path: own },
    { by: 'owner', path: own, method: 'HEAD' },
    { by: 'owner', path: own, method: 'PUT' },
    { by: 'owner', path: `${own}?nonsense=1&dimension=x` },
    { by: 'owner', path: missing },
    { by: 'owner', path: own, headers: { 'if-none-match': '*' } },
    { by: 'child', path: own },
    { by: 'nobody', path: own },
  ]
}

function sends(path: string): readonly Asked[] {
  const more = path.endsWith('email') ? { subject: 'Hi', html: 'Hi' } : { body: 'Hi' }
  const to = path.endsWith('email') ? 'a@example.com' : '+12125550123'
  const posted = (by: Asked['by'], body: object): Asked => ({
    by,
    path,
    ...sent(JSON.stringify(body), 'json'),
  })
  return [
    posted('owner', { to, ...more }),
    posted('owner', { to: [to, 'x'], ...more }),
    posted('owner', {}),
    posted('child', { to, ...more }),
    posted('nobody', { to, ...more }),
    { by: 'owner', path, method: 'GET' },
  ]
}

const sent = (body: string, type: 'json' | 'x-www-form-urlencoded' | 'xml', more: object = {}) => ({
  body,
  headers: { 'content-type': `application/${type}`, ...more },
})

function submissions(path: string): readonly Asked[] {
  const open = (shown.Form ?? []).filter(
    ({ isPublished, headless }) => isPublished === true && (headless as Row).supported === true,
  )
  const pathOfForm = (isLocked: boolean) =>
    path.replace('{formId}', String(open.find((form) => form.requiresPassword === isLocked)?.formId))
  const plain = { by: 'nobody', path: pathOfForm(false) } as const
  const answers = (name: string) => `_gotcha=&email=${name}%40example.com`
  const form = 'x-www-form-urlencoded'
  const page = { accept: 'text/html', origin: 'https://wash.example' }
  return [
    { ...plain, ...sent(answers('header'), form) },
    { ...plain, ...sent(`${answers('headers')}&_redirect=%2Fthanks`, form, page) },
    { ...plain, ...sent('[', 'json') },
    { ...plain, ...sent(answers('header'), 'xml') },
    { ...plain, ...sent(`${answers('header')}&nothing=1`, form) },
    { ...plain, ...sent(answers('header'), form), method: 'PATCH' },
    { by: 'nobody', path: pathOfForm(true), ...sent(answers('header'), form) },
    { by: 'nobody', path: path.replace('{formId}', 'missing'), ...sent(answers('header'), form) },
  ]
}

/** The kinds of headers that an answer has, as the table names them. */
export function kindsOf(
  { method, path, statuses }: Operation,
  status: number,
  by: Asked['by'],
): readonly string[] {
  const isSubmission = path.startsWith('/api/forms/')
  const isDocument = !isSubmission && !statuses.includes(401)
  const isFormer = path.includes('/legacyvendor/') && by === 'owner'
  return [
    'of every answer',
    isSubmission ? 'of submissions' : isDocument && status < 400 ? 'of the document' : 'of what needs a key',
    ...(method === 'OPTIONS' ? ['of a preflight'] : []),
    ...(isFormer ? ['of a former route'] : []),
    ...(status === 303 || status === 405 || (status === 401 && !isSubmission) ? [`of ${status}`] : []),
  ]
}

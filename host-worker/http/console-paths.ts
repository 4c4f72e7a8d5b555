const READS = '/console/as/'

/** Whether a path reads an organization for somebody who signed in. */
export function isSignedInRead(pathname: string): boolean {
  return pathname.startsWith(READS)
}

/**
 * Paths of the console that are no pages: signing in and out, which the operator interface answers, and what is read of an
 * organization.
 */
export function isConsoleCall({ method }: Request, pathname: string): boolean {
  if (isSignedInRead(pathname)) return true
  if (pathname === '/console/sign-in/ways') return true
  const isPage = method === 'GET' || method === 'HEAD'
  return !isPage && (pathname === '/console/sign-in' || pathname === '/console/session')
}

import { entry } from '../console/built.mjs'
import { appPage } from './app-page.ts'
import { pageResponse } from './page-headers.ts'

/** Serves the console's page, which is the same at each of its addresses: its script shows what the address names. */
export function serveConsole(request: Request): Response {
  const otherwise = 'The console needs scripts. The operator command and both interfaces do all of it.'
  return pageResponse(request, () => appPage('Console', entry, otherwise).markup)
}

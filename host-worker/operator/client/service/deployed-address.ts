import type { WranglerFile } from '../../../local/project.ts'

/**
 * The address at which the service is deployed, according to `wrangler.toml`: the first route with a host of its own.
 * The address under workers.dev is not in that file, because it contains the name of the account.
 */
export function deployedAddress({
  route,
  routes,
}: Pick<WranglerFile, 'route' | 'routes'>): { url: string } | { problem: string } {
  const patterns = route === undefined ? routes : [route, ...routes]
  const host = patterns.map((pattern) => pattern.replace(/^https?:\/\//, '').split('/')[0] ?? '').find(isHost)
  if (host !== undefined) return { url: `https://${host}` }
  return {
    problem:
      'wrangler.toml names no address of the deployed service. Set its routes, or give --url, such as ' +
      '--url https://tenant-data-api.ACCOUNT.workers.dev.',
  }
}

/** Whether a text is a host without a wildcard. */
function isHost(text: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)+$/.test(text)
}

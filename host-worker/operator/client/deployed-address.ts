import type { WranglerFile } from '../../local/wrangler-file.ts'

/**
 * The address at which the service is deployed, according to `wrangler.toml`: the first route with a host of its own.
 * The address under workers.dev is not in that file, because it contains the name of the account.
 */
export function deployedAddress({ top, tables }: WranglerFile): { url: string } | { problem: string } {
  const routes = [
    top.route,
    top.routes,
    ...tables.filter(({ name }) => name === 'routes').map(({ values }) => values.pattern),
  ]
  const patterns = routes.flatMap((text) =>
    [...(text ?? '').replaceAll(ZONE, '').matchAll(/"([^"\s]+\.[^"\s]+)"/g)].map(([, found = '']) => found),
  )
  const host = patterns.map((pattern) => pattern.replace(/^https?:\/\//, '').split('/')[0] ?? '').find(isHost)
  if (host !== undefined) return { url: `https://${host}` }
  return {
    problem:
      'wrangler.toml names no address of the deployed service. Set its routes, or give --url, such as ' +
      '--url https://tenant-data-api.ACCOUNT.workers.dev.',
  }
}

/** Matches the zone of a route, which may precede the route's own host. */
const ZONE = /\bzone_\w+\s*=\s*"[^"]*"/g

/** Whether a text is a host without a wildcard. */
function isHost(text: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)+$/.test(text)
}

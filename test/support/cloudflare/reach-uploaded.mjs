/**
 * Loaded into a command by `--import`: requests to hosts under workers.dev go to the stand-in of Cloudflare's network at
 * `UPLOADED_SERVICES`, which serves what was uploaded. It is plain JavaScript, because it runs on any Node.
 */
const { fetch } = globalThis

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init)
  if (!new URL(request.url).hostname.endsWith('.workers.dev')) return fetch(request)
  const body = ['GET', 'HEAD'].includes(request.method) ? null : await request.arrayBuffer()
  const headers = new Headers(request.headers)
  headers.set('x-uploaded-url', request.url)
  return fetch(process.env.UPLOADED_SERVICES, { method: request.method, headers, body, redirect: 'manual' })
}

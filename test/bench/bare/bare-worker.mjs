import { DETAIL, INSERT, LIST } from './bare-statements.mjs'

/**
 * The baseline of the service: the same reads and the same insert, and nothing around them. No key, no checks, no
 * cursor, no contact, no outbox.
 */
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (request.method === 'POST') {
      const answers = await request.json()
      const now = new Date().toISOString()
      const id = crypto.randomUUID()
      await env.DB.prepare(INSERT).bind('bench', id, 'bench-form', JSON.stringify(answers), now, now).run()
      return Response.json({ ok: true, submissionId: id })
    }
    if (pathname.endsWith('/contacts')) {
      const { results } = await env.DB.prepare(LIST).bind('bench').all()
      return Response.json({ data: results })
    }
    const row = await env.DB.prepare(DETAIL).bind('bench', pathname.split('/').pop()).first()
    return Response.json(row)
  },
}

/**
 * What the service is measured against: the same reads and the same insert with nothing around them. No key, no
 * checks, no cursor, no contact, no outbox.
 */
const LIST = `SELECT contact_id, first_name, last_name, email, phone, license_plate, tags, email_consent, sms_consent,
  source, site_id, created_at, updated_at
  FROM contacts WHERE organization_id = ? ORDER BY created_at DESC, contact_id DESC LIMIT 101`
const DETAIL = `SELECT contact_id, first_name, last_name, email, phone, license_plate, tags, email_consent, sms_consent,
  source, site_id, created_at, updated_at
  FROM contacts WHERE organization_id = ? AND contact_id = ?`
const INSERT = `INSERT INTO form_submissions
  (organization_id, submission_id, form_id, contact_id, answers, attribution, source, submitted_at, updated_at)
  VALUES (?, ?, ?, NULL, ?, '{}', 'headless', ?, ?)`

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

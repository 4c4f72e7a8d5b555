import { DurableObject } from 'cloudflare:workers'
import { DETAIL, INSERT, LIST } from './bare-statements.mjs'

/**
 * `bare-worker.mjs` with its rows in an object: as little code as possible between the request and the object's SQLite.
 */
export class FamilyDatabase extends DurableObject {
  /** Returns rows as arrays, with the names of the columns once. */
  run(sql, ...parameters) {
    const cursor = this.ctx.storage.sql.exec(sql, ...parameters)
    return { columns: cursor.columnNames, rows: [...cursor.raw()] }
  }
}

export default {
  async fetch(request, { FAMILIES }) {
    const object = FAMILIES.get(FAMILIES.idFromName('bench.1'))
    const { pathname } = new URL(request.url)
    if (request.method === 'POST') {
      const answers = await request.json()
      const now = new Date().toISOString()
      const id = crypto.randomUUID()
      await object.run(INSERT, 'bench', id, 'bench-form', JSON.stringify(answers), now, now)
      return Response.json({ ok: true, submissionId: id })
    }
    if (pathname.endsWith('/contacts'))
      return Response.json({ data: rowsOf(await object.run(LIST, 'bench')) })
    const [row = null] = rowsOf(await object.run(DETAIL, 'bench', pathname.split('/').pop()))
    return Response.json(row)
  },
}

function rowsOf({ columns, rows }) {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
}

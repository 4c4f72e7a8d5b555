/**
 * Applies migrations to local databases. The local runtime loads this Worker beside the service, because a program
 * outside the runtime can reach a database only slowly. It is plain JavaScript, because the runtime gets this file
 * without a build.
 */

/** wrangler's own record of applied migrations, so that wrangler's commands and this Worker agree on them. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

export default {
  /**
   * Returns the names of the migrations that a database has (`{ binding }`), or applies one in a transaction (`{
   * binding, name, statements }`).
   */
  async fetch(request, env) {
    const { binding, name, statements } = await request.json()
    const database = env[binding]
    if (statements === undefined) {
      const [, { results }] = await database.batch([
        database.prepare(CREATE_RECORD),
        database.prepare('SELECT name FROM d1_migrations'),
      ])
      return Response.json(results.map((row) => row.name))
    }
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
    return Response.json(null)
  },
}

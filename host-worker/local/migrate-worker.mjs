/**
 * Applies migrations to local databases. The local runtime loads it beside the service, because a program outside the
 * runtime reaches a database only by a slow detour. Plain JavaScript, because the runtime gets this file as it is.
 */

/** wrangler's own record of applied migrations, so that its commands and this agree. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

export default {
  /**
   * Answers the names of the migrations that a database has (`{ binding }`), or applies one, all or nothing
   * (`{ binding, name, statements }`).
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

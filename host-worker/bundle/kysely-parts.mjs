/**
 * The parts of Kysely that its query builder brings along and that this service never reaches: schemas, SQL's `merge`, and
 * the inspection of a database. They are a quarter of what it is made of, and every isolate that reaches a database
 * loads it. Each is replaced by classes that cannot be made.
 */
const UNREACHED = {
  'plugin/with-schema/with-schema-plugin.js': ['WithSchemaPlugin'],
  'query-builder/merge-query-builder.js': ['MergeQueryBuilder'],
  'dialect/sqlite/sqlite-introspector.js': ['SqliteIntrospector'],
}

const stub = (name) =>
  `export class ${name} { constructor() { throw new Error('The Worker is built without ${name} of Kysely') } }`

/**
 * Leaves these parts of Kysely out of the Worker. The build fails when Kysely imports another name from one of them; the
 * test of what a request loads fails when a part has moved.
 */
export const kyselyParts = {
  name: 'kysely-parts',
  setup(build) {
    build.onLoad({ filter: /[\\/]kysely[\\/]dist[\\/]/ }, ({ path }) => {
      const [, part] = path.replaceAll('\\', '/').split('/kysely/dist/')
      const names = UNREACHED[part]
      return names === undefined ? undefined : { contents: names.map(stub).join('\n') }
    })
  },
}

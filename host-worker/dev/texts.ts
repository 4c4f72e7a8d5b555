// What a local start needs of the project's files. The Worker's build replaces this module by one that contains them.
export { legacyMigrations, textAt } from '../bundle/local-texts.mjs'

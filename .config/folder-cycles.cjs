/**
 * The one invariant that concerns folders as wholes: they have no cycles. Unit tests are left out, because a test
 * beside its code may import test/support, which imports from every folder.
 */
const { options } = require('./dependency-cruiser.cjs')

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-folder-cycles',
      // Two folders that import each other cannot be understood or changed separately.
      comment: 'Folders have no cycles, as files have none. Types count too.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: ['\\.test(-d)?\\.ts$', '^test/'] } },
}

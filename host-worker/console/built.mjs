// Re-exports what was built from a file of its own, so that its types are known before anything is built.
export { entry, mailboxEntry } from './dist/entry.mjs'

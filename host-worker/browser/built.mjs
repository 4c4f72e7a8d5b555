// Re-exports the built client from a file of its own, so that its types are known before anything is built.
export { hash, source } from './dist/form-client.mjs'

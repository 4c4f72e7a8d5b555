// Beside it and not imported directly, so that its types are known before anything is built.
export { hash, source } from './dist/form-client.mjs'

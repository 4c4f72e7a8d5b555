import { attachAll } from './attach.ts'

export * from './index.ts'

// A page that asks for it with `form-client.js?attach` needs no script of its own.
const { origin, searchParams } = new URL(import.meta.url)
if (searchParams.has('attach')) void attachAll(origin, { followRedirect: true })

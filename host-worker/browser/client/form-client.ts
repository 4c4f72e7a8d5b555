import { attachAll } from './attach-all.ts'

export type { Attached, AttachOptions } from './attach.ts'
export { attach, visibleIds } from './attach.ts'
export { attachAll, attachForm } from './attach-all.ts'
export type { PublishedField, PublishedForm } from './definition.ts'
export type { FormAddress } from './load-form.ts'
export { addressOf, loadForm } from './load-form.ts'
export type { Messages } from './messages.ts'
export type { Receipt } from './send.ts'

// A page that asks for it with `form-client.js?attach` needs no script of its own.
const { origin, searchParams } = new URL(import.meta.url)
if (searchParams.has('attach')) void attachAll(origin, { followRedirect: true })

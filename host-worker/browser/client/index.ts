/**
 * The form client as a module, for a page that has a script of its own. Importing it does nothing. Installed, it is
 * `tenant-data-api/form-client`; a service serves it as `/form-client.js`.
 */
export type { ClientField, ClientForm } from '../../../domain/forms/language/client-form.ts'
export type { Attached } from './attach.ts'
export { attach, visibleIds } from './attach.ts'
export { attachAll, attachForm } from './attach-all.ts'
export type { PublishedField, PublishedForm } from './definition.ts'
export type { AttachOptions } from './handle.ts'
export type { FormAddress } from './load-form.ts'
export { addressOf, loadForm } from './load-form.ts'
export type { Messages } from './messages.ts'
export type { Receipt } from './send.ts'

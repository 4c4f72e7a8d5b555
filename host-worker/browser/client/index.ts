/**
 * The form client as a module, for a page that has a script of its own. Importing it does nothing. Installed, it is
 * `tenant-data-api/form-client`; a service serves it as `/form-client.js`.
 */
export type { ClientField, ClientForm } from '../../../domain/forms/language/client-form.ts'
export type { Attached } from './attach.ts'
export { attach, visibleIds } from './attach.ts'
export { attachAll, attachForm } from './attach.ts'
export type { PublishedField, PublishedForm } from './form-view.ts'
export type { AttachOptions } from './attach.ts'
export type { FormAddress } from './attach.ts'
export { addressOf, loadForm } from './attach.ts'
export type { Messages } from './attach.ts'
export type { Receipt } from './attach.ts'

/**
 * The form client as a module, for a page that has a script of its own. Importing it does nothing. Installed, it is
 * `tenant-data-api/form-client`; a service serves it as `/form-client.js`.
 */
export type { ClientField, ClientForm } from '../../../domain/forms/language/client-form.ts'
export type { Attached, AttachOptions, FormAddress, Messages } from './attach.ts'
export { addressOf, attach, attachAll, attachForm, loadForm, visibleIds } from './attach.ts'
export type { PublishedField, PublishedForm, Receipt } from './form-view.ts'

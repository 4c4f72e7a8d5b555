/** What a reply as a page needs. */
export { failurePage } from './failure-page.ts'
export { pageHeaders } from './page-layout.ts'
export { successPage } from './success-page.ts'
export { wayBack } from './way-back.ts'

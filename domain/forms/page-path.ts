/** Paths with this prefix are the pages of forms, outside of the contract. */
export const FORM_PAGE_PREFIX = '/f/'

/** The path of a form's own page. The ids of forms have no character that a URL escapes. */
export function formPath(formId: string): string {
  return `${FORM_PAGE_PREFIX}${formId}`
}

/** Whether a request sends a submission to the address of a form's page. The answer is then one that any page may read. */
export function isSentToForm(method: string, pathname: string): boolean {
  return method === 'POST' && /^\/f\/[^/]*\/*$/.test(pathname)
}

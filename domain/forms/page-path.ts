/** Paths with this prefix are the pages of forms, outside of the contract. */
export const FORM_PAGE_PREFIX = '/f/'

/** The path of a form's own page. The ids of forms have no character that a URL escapes. */
export function formPath(formId: string): string {
  return `${FORM_PAGE_PREFIX}${formId}`
}

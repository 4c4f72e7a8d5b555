// What a member of an organization reads of it. The service decides by it, and the console shows nothing else, so it
// stands apart from both.

/** The first segments, after `/api/v1/`, of what a member reads: submissions, forms, contacts and reports. */
const OPEN: readonly string[] = ['forms', 'contacts', 'contact-lists', 'analytics', 'openapi.json']

/** Whether a member reads an address of the public interface. @param address what follows `/api/v1/` */
export function isOpenToMembers(address: string): boolean {
  return OPEN.includes(address.split('/', 1)[0] ?? '')
}

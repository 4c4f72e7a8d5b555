/**
 * The address of Dub's API. It is in a file of its own, because the Worker reads its configuration without loading the
 * adapter.
 */
export const DUB_URL = 'https://api.dub.co'

/** Where Dub's API answers. In a file of its own, because the Worker reads its configuration without the adapter. */
export const DUB_URL = 'https://api.dub.co'

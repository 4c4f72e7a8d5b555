/** The content types in which answers may be sent. */
export const acceptedTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const

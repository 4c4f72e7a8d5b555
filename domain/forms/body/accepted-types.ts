/** The content types in which answers may be sent. */
export const acceptedTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const

/** These types in a sentence, with "or" before the last. */
export const anyAcceptedType = acceptedTypes.join(', ').replace(/, (?=[^,]*$)/, ' or ')

/**
 * How many databases, or receivers of work, are asked at once when a list of them is processed. A Worker has six
 * connections, and a task may need a second one.
 */
export const CONNECTIONS_WIDTH = 4

/** How long each of them may take, in ms. */
export const ANSWER_MS = 10_000
